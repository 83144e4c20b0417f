"""What users get: captures, and events between two questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Capture", "CaptureEvent"]


@dataclass(frozen=True, slots=True)
class Capture:
    """A part of a matcher's text that a rule of the grammar derives, that a named part of a composition reads, or that
    is a value of a JSON text.

    Attributes:
        name: the name of the rule or of the part, or the JSON pointer of the value.
        start: where it begins: an offset in bytes in `Matcher.text_bytes`.
        end: where it ends, or None while it grows.
        text: its bytes; while it grows, its bytes so far.
    """

    name: str
    start: int
    end: int | None
    text: bytes


@dataclass(frozen=True, slots=True)
class CaptureEvent:
    """How the captures of a matcher have changed.

    Attributes:
        kind: "opened": the capture is new, and grows. "closed": it has its end. "withdrawn": it is none any more,
            because steps were taken back, or because the text went on in another way.
        capture: the capture. In an event "withdrawn", it is as it was reported last, with the text that it had then.
    """

    kind: Literal["opened", "closed", "withdrawn"]
    capture: Capture
