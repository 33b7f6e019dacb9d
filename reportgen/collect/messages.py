"""What runner and worker say to each other: msgspec JSON, each message after its length.

The worker answers every request with exactly one reply, in order.
"""

from __future__ import annotations

import struct

import msgspec

from reportgen.backends.base import Batch, Build, Order
from reportgen.runs.schema import Device
from reportgen.suite.definition import Operation, PlannedPoint, Probe

LENGTH = struct.Struct(">I")


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """First request: which device, and the instruction table to generate from."""

    selector: str
    device: Device
    operations: dict[str, Operation] = {}


class Make(msgspec.Struct, frozen=True, tag="make"):
    """Generate, compile and inspect one point."""

    probe: Probe
    point: PlannedPoint
    patience: float = 0.0
    """Seconds after which a worker that nobody stops any more ends itself."""


class Visit(msgspec.Struct, frozen=True, tag="visit"):
    """Measure one point."""

    order: Order
    patience: float = 0.0


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """Reply to `Hello`."""


class Made(msgspec.Struct, frozen=True, tag="made"):
    """Reply to `Make`; `work` and `setup` are the source's."""

    build: Build
    work: dict[str, float] = {}
    setup: dict[str, int | float | str] = {}


class Visited(msgspec.Struct, frozen=True, tag="visited"):
    """Reply to `Visit`."""

    batch: Batch


class Fault(msgspec.Struct, frozen=True, tag="fault"):
    """Why there is no other reply; also what the supervisor says of a worker that died."""

    status: str
    reason: str
    last: bool = False
    """The worker ends itself after this reply: the next request needs a fresh one."""


Request = Hello | Make | Visit
Reply = Ready | Made | Visited | Fault

_encoder = msgspec.json.Encoder()
_requests = msgspec.json.Decoder(Request)
_replies = msgspec.json.Decoder(Reply)


def pack(message: Request | Reply) -> bytes:
    """A message with its length before it."""
    body = _encoder.encode(message)
    return LENGTH.pack(len(body)) + body


def request(body: bytes) -> Request:
    """Decode a request (without its length)."""
    return _requests.decode(body)


def reply(body: bytes) -> Reply:
    """Decode a reply (without its length)."""
    return _replies.decode(body)
