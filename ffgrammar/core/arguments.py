"""Checks of arguments at the border of the package.

Without them a wrong argument fails deep inside, with a message about an attribute that the caller never heard of.
"""

from __future__ import annotations

__all__ = ["byte_string", "expect"]


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


def byte_string(data: bytes | bytearray | memoryview) -> bytes:
    """The bytes of a bytes-like object.

    Raises:
        TypeError: it is no such object.
        ValueError: its elements are longer than a byte.
    """
    try:
        view = memoryview(data)
    except TypeError:
        raise TypeError(f"data must be bytes or another bytes-like object, not {type(data).__name__}") from None
    if view.itemsize != 1:
        raise ValueError(f"data must be made of bytes, not of elements of {view.itemsize} bytes")
    return bytes(view)
