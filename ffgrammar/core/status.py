"""Turns the status code of a kernel into the exception that it stands for."""

from __future__ import annotations

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits

__all__ = ["raise_status"]

# status code (see status.pxd) -> (field of Limits, the message for the user)
_LIMITS = {
    -2: ("expressions", "the regexes grew too many states"),
    -3: ("expression_size", "one and/or expression has too many members"),
    -4: ("nesting", "a regex is nested too deeply"),
    -5: ("emptiness_steps", "could not decide whether an expression matches anything or a text can be completed"),
    -6: ("dfa_states", "one step, or reading the text so far again, needs too many lexer states"),
    -7: ("row_items", "the grammar is too ambiguous: one parser row has too many items"),
    -8: ("cache_bytes", "one step needs more parser rows or larger lexer states than the cache may hold"),
    -9: ("seconds", "one call takes too long"),
    -12: ("mask_work", "one mask takes too much work"),
    -14: ("compile_work", "compiling takes too much work"),
}


def raise_status(status: int, limits: Limits) -> None:
    """Raise what a negative status code stands for: MemoryError, LimitError or RuntimeError."""
    if status == -1:
        raise MemoryError("ffgrammar: out of memory")
    if status == -11:
        raise RuntimeError(
            "the handler of a signal must not use the grammar in whose call it runs, nor any grammar in the middle of "
            "a fork"
        )
    name, detail = _LIMITS[status]
    raise LimitError(name, getattr(limits, name), detail)
