"""Whether the assembler and the decoder agree on each form, asked in a process of its own.

    python -m reportgen.backends.cpu.x86_64.forms.assembling < [texts]

The assembler ends its process at the first text that it refuses, so texts are assembled in forks, a
hundred at a time, once more without each one that was refused.  What it accepts is decoded again, and must
be the opcode that the text was made of.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence

import msgspec
from iced_x86 import Decoder, Instruction

from reportgen.backends.cpu.x86_64.forms.enumeration import CODE, enumerated
from reportgen.backends.cpu.x86_64.forms.spelling import written
from reportgen.errors import UserError
from reportgen.suite.survey import GENERAL, LOCK, MASK, MEMORY, VECTOR, Form, LeftOut

_SAMPLE = {
    GENERAL: ("rbx", "rsi", "rdi", "r8"), VECTOR: ("v1", "v2", "v3", "v4"), MASK: ("k1", "k2", "k3", "k4"),
    MEMORY: ("r13+64",) * 4,
}  # fmt: skip
_FAULT = re.compile(r"<inline asm>:(\d+):\d+: (.*)")
_HEAD = 1
"""Lines before the first form."""
_AT_ONCE = 100


class Answer(msgspec.Struct, frozen=True):
    """What became of a text: the decoder's name of its opcode, or why the assembler refuses it."""

    code: str = ""
    """With what the instruction has beside its opcode: `evex_vaddps_... masked zeroing`."""
    refused: str = ""


def sample(form: Form) -> str:
    """The form with some registers."""
    registers = [_SAMPLE[one.file][at] if one.file in _SAMPLE else "" for at, one in enumerate(form.operands)]
    return written(form, registers)


def checked(features: frozenset[str]) -> tuple[tuple[Form, ...], tuple[LeftOut, ...]]:
    """The forms of a processor on which both tools agree; of everything else the reason.

    Args:
        features: of the processor, in LLVM's names.

    Raises:
        UserError: the assembler does not answer.
    """
    forms, left = enumerated()
    out = list(left)
    here = []
    for form in forms:
        lacking = [name for name in form.features if name not in features]
        if lacking:
            out.append(LeftOut(form.key, f"this processor lacks {', '.join(lacking)}"))
        else:
            here.append(form)
    answers = _asked([sample(form) for form in here])
    agreed: dict[str, Form] = {}
    other: list[tuple[Form, str]] = []
    for form, answer in zip(here, answers, strict=True):
        if answer.refused:
            out.append(LeftOut(form.key, f"the assembler refuses it: {answer.refused}"))
        elif answer.code == _encoded(form) and form.key not in agreed:
            agreed[form.key] = form
        else:
            other.append((form, answer.code))
    for form, code in other:
        if form.key in agreed:
            why = f"the same text as {agreed[form.key].code}, which the assembler writes"
        else:
            why = f"the assembler writes it as {code}"
        out.append(LeftOut(form.code, why))
    return tuple(agreed.values()), tuple(out)


def _encoded(form: Form) -> str:
    marks = {
        "masked": form.masked, "zeroing": form.zeroing, "broadcast": "{{1to" in form.text,
        "locked": form.text.startswith(LOCK),
    }  # fmt: skip
    return " ".join([form.code, *(name for name, has in marks.items() if has)])


def _decoded(one: Instruction) -> str:
    marks = {
        "masked": one.has_op_mask, "zeroing": one.zeroing_masking, "broadcast": one.is_broadcast,
        "locked": one.has_lock_prefix,
    }  # fmt: skip
    return " ".join([CODE[one.code].lower(), *(name for name, has in marks.items() if has)])


def _asked(texts: Sequence[str]) -> list[Answer]:
    done = subprocess.run(
        [sys.executable, "-m", __name__], input=msgspec.json.encode(texts), capture_output=True, check=False
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"exit {done.returncode}"]
        raise UserError(f"the assembler does not answer to the survey's forms: {said[0]}.")
    return msgspec.json.decode(done.stdout, type=list[Answer])


def main() -> None:
    """Answer what stands on stdin: a list of texts."""
    from reportgen.backends.cpu.x86_64.listing import Asked, assemble, assembler

    texts = msgspec.json.decode(sys.stdin.buffer.read(), type=list[str])
    machine = assembler()
    answers: dict[str, Answer] = {}
    for start in range(0, len(texts), _AT_ONCE):
        some = list(dict.fromkeys(texts[start : start + _AT_ONCE]))
        while some:
            taken = "\n".join(some)
            code, said = _forked(lambda taken=taken: b"".join(assemble(machine, Asked(taken, intel=True))))  # type: ignore[misc]
            fault = _FAULT.search(said)
            if code or fault is None:
                break
            wrong = some.pop(int(fault[1]) - _HEAD - 1)
            answers[wrong] = Answer(refused=fault[2])
        found = [_decoded(one) for one in Decoder(64, code)]
        if len(found) != len(some):
            sys.exit(f"{len(some)} texts became {len(found)} instructions: {said}")
        answers |= {text: Answer(name) for text, name in zip(some, found, strict=True)}
    sys.stdout.buffer.write(msgspec.json.encode([answers[text] for text in texts]))


def _forked(work: Callable[[], bytes]) -> tuple[bytes, str]:
    """What `work` gives in a process that it may end, and what that says meanwhile."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            os.dup2(said.fileno(), 2)
            os.write(given.fileno(), work())
            os._exit(0)
        os.waitpid(child, 0)
        return os.pread(given.fileno(), 1 << 20, 0), os.pread(said.fileno(), 1 << 16, 0).decode(
            errors="replace"
        )


if __name__ == "__main__":
    main()
