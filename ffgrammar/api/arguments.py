"""Checks of arguments that several public functions share, so that a wrong type is named where it comes in."""

from __future__ import annotations

from ffgrammar.core.limits import Limits
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["limits_or_default", "require_str", "require_tokenizer"]

_DEFAULT_LIMITS = Limits()


def require_tokenizer(tokenizer: object) -> None:
    """Raise TypeError unless a value is a `Tokenizer`."""
    if not isinstance(tokenizer, Tokenizer):
        raise TypeError(f"a Tokenizer is expected (as of Tokenizer.from_tiktoken), not {type(tokenizer).__name__}")


def require_str(value: object, name: str) -> None:
    """Raise TypeError unless a value is a str; `name` says whose it is."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")


def limits_or_default(limits: Limits | None) -> Limits:
    """The limits, or the default ones for None. Raises TypeError for anything else."""
    if limits is None:
        return _DEFAULT_LIMITS
    if not isinstance(limits, Limits):
        raise TypeError(f"limits must be a Limits, not {type(limits).__name__}")
    return limits
