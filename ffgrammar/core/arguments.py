"""The check of an argument's type at the border of the package.

Without it a wrong argument fails deep inside, with a message about an attribute that the caller never heard of.
"""

from __future__ import annotations

__all__ = ["expect"]


def expect(name: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    """Raise TypeError unless a value is of a type.

    Args:
        name: the argument, as the caller knows it.
        value: what was given.
        kind: the type or types that it may have.
        wanted: these types in words, such as "a Tokenizer".
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {wanted}, not {type(value).__name__}")
