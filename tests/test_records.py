"""Records are named tuples like those of `typing`."""

from __future__ import annotations

import pickle
from typing import NamedTuple

import pytest

from ffgrammar.core.records import Record


class Decoder(Record):
    """What it is."""

    steps: list[str]
    strips: bool = False
    name: str = "none"

    def first(self) -> str:
        return self.steps[0]

    @property
    def count(self) -> int:
        return len(self.steps)


class Usual(NamedTuple):
    steps: list[str]
    strips: bool = False
    name: str = "none"


def test_a_record_is_a_named_tuple() -> None:
    one, usual = Decoder(["a", "b"], name="x"), Usual(["a", "b"], name="x")
    assert one == usual and isinstance(one, tuple) and repr(one) == repr(usual).replace("Usual", "Decoder")
    assert one.first() == "a" and one.count == 2 and not one.strips and Decoder.__doc__ == "What it is."
    assert one._replace(strips=True) == (["a", "b"], True, "x") and one._asdict() == usual._asdict()
    assert Decoder._fields == Usual._fields and Decoder._field_defaults == Usual._field_defaults
    assert pickle.loads(pickle.dumps(one)) == one and type(pickle.loads(pickle.dumps(one))) is Decoder
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        Decoder()  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        one.strips = True  # type: ignore[misc]
    with pytest.raises(AttributeError):
        one.other = 1  # type: ignore[attr-defined]
