"""Work that no caller is to wait for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ffgrammar.core import put_off


def test_work_is_done_later_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    put_off.run_all()
    now = 50.0
    done: list[int] = []
    monkeypatch.setattr(put_off, "monotonic", lambda: now)
    put_off.put_off(lambda: done.append(1))
    now += put_off.DELAY_S / 2
    put_off.put_off(lambda: done.append(2))
    put_off.run_due()
    assert done == []
    now += put_off.DELAY_S / 2
    put_off.run_due()
    assert done == [1]
    put_off.run_all()
    put_off.run_all()
    assert done == [1, 2]


def test_work_that_fails_is_not_done_again() -> None:
    put_off.put_off(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        put_off.run_all()
    put_off.run_all()


def test_threads_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread takes the last work whenever this one looks for some."""

    class Emptied(list[tuple[float, Callable[[], object]]]):
        def __bool__(self) -> bool:
            found = len(self) > 0
            self.clear()
            return found

    done: list[int] = []
    monkeypatch.setattr(put_off, "_pending", Emptied([(0.0, lambda: done.append(1))]))
    put_off.run_due()
    monkeypatch.setattr(put_off, "_pending", Emptied([(0.0, lambda: done.append(1))]))
    put_off.run_all()
    assert done == [1]
