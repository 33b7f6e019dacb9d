"""The device that the user's word means, of those that a backend finds."""

from __future__ import annotations

from reportgen.backends import registry
from reportgen.backends.base import Backend, Candidate
from reportgen.collect import toolchain
from reportgen.collect.plan import Recorded
from reportgen.errors import BackendUnavailable, UserError
from reportgen.runs.schema import Device

ALL = "all"
"""The word for every device that can be used, after the colon for those of one backend: `cuda:all`."""


def several(selector: str) -> tuple[str, ...]:
    """The selectors that one stands for: `all`, `cuda:all`, `cpu:all` (kinds of cores), `sm_all`.

    Raises:
        UserError: there is no such backend.
        BackendUnavailable: none of the devices can be used, or a package that the backend needs is missing.
    """
    name, _, which = selector.partition(":")
    if ALL not in (selector, which):
        return toolchain.members(selector)
    found = registry.discover() if selector == ALL else registry.get(name).discover()
    # Nothing is timed on a target: `sm_all` asks for those.
    devices = [one for one in found if not one.selector.startswith(registry.TARGET)]
    usable = tuple(one.selector for one in devices if not one.reason)
    if not usable:
        reasons = "; ".join(f"{one.selector}: {one.reason.rstrip('.')}" for one in devices) or "there is none"
        raise BackendUnavailable(
            f"no device of '{selector}' can be used ({reasons}).", "'reportgen doctor' says what is missing."
        )
    return usable


def choose(backend: Backend, selector: str) -> Candidate:
    """The device that `selector` names.

    Raises:
        UserError: there is none.
        BackendUnavailable: it is there and cannot be used; the reason says why.
    """
    found = backend.discover()
    named = [candidate for candidate in found if candidate.selector == selector]
    if not named and selector == backend.name:
        # On a hybrid processor `cpu` means the first kind of core that can be used.
        named = sorted(found, key=lambda candidate: bool(candidate.reason))[:1]
    if not named and isinstance(backend, toolchain.Targets):
        # Without a toolchain the targets are not listed one by one: what stands for all says why.
        named = [one for one in found if one.reason and selector in backend.members(one.selector)]
    if not named:
        here = ", ".join(candidate.selector for candidate in found if not candidate.reason) or "none"
        raise UserError(
            f"no device '{selector}'; usable: {here}.", "'reportgen devices' shows all, with reasons."
        )
    if named[0].reason:
        raise BackendUnavailable(
            f"'{selector}' cannot be used: {named[0].reason.rstrip('.')}.",
            "'reportgen doctor' says what is missing.",
        )
    return named[0]


def measurable(backend: Backend, selector: str, isa: str, *, replayed: str, elsewhere: str) -> Device:
    """The device that `selector` names, for what is measured on one instruction set only.

    Args:
        backend: where it is looked for.
        selector: the user's word.
        isa: the instruction set that is needed.
        replayed: what to do instead of measuring on recorded samples.
        elsewhere: why there is nothing for a device of another instruction set.

    Raises:
        UserError: there is none, samples are replayed, or the instruction set is another.
        BackendUnavailable: it is there and cannot be used.
    """
    device = choose(backend, selector).device
    if isinstance(backend, Recorded):
        raise UserError("a replay measures nothing.", replayed)
    if device.isa != isa:
        raise UserError(f"{device.id} is {device.isa}, and this is asked of {isa} only.", elsewhere)
    return device
