"""A dict of the values that were last asked for."""

from __future__ import annotations

import pickle

from ffgrammar.core.recent import Recent


def test_what_was_not_asked_for_is_forgotten() -> None:
    kept: Recent[int, int] = Recent(10)
    for number in range(20):
        kept[number] = number
        kept.get(0)
    assert list(kept) == [*range(11, 20), 0]
    assert kept.get(1) is None and kept.get(1, 5) == 5
    kept[12] = 7
    assert kept.get(12) == 7 and len(kept) == 10


def test_a_pickle_keeps_the_bound() -> None:
    kept: Recent[str, int] = Recent(2)
    kept["a"], kept["b"] = 1, 2
    other = pickle.loads(pickle.dumps(kept))
    other["c"] = 3
    assert other == {"b": 2, "c": 3} and kept == {"a": 1, "b": 2}
