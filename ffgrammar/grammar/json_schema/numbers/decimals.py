"""Exact arithmetic with the numbers of a schema. The numbers are Decimals. They are never rounded, neither to a float
nor to the precision of the decimal context."""

from __future__ import annotations

from decimal import Decimal

__all__ = [
    "MAX_DIGITS",
    "ceiling",
    "digits_around_point",
    "fits",
    "is_integer",
    "is_multiple",
    "opposite",
    "ratio",
    "shifted",
    "spellings",
]

# A number with more digits is refused: its expression would hold every one of them.
MAX_DIGITS = 5000


def digits_around_point(value: Decimal) -> tuple[str, str]:
    """The digits of a number before and after its point, without sign and without needless zeros."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    if exponent >= 0:
        whole, part = text + "0" * exponent, ""
    else:
        text = text.rjust(1 - exponent, "0")
        whole, part = text[:exponent], text[exponent:]
    return whole.lstrip("0") or "0", part.rstrip("0")


def fits(value: Decimal) -> bool:
    """Whether a number surely has at most MAX_DIGITS digits when it is written without an exponent.

    The digits are not counted exactly: those after the point may count twice.
    """
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    return not any(digits) or len(digits) + abs(exponent) <= MAX_DIGITS


def is_integer(value: Decimal) -> bool:
    """Whether a value is a whole number."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    return exponent >= 0 or not any(digits[exponent:])


def is_multiple(value: Decimal, divisor: Decimal) -> bool:
    """Whether a value is a multiple of a divisor."""
    scale = max(0, *(-int(number.as_tuple().exponent) for number in (value, divisor)))
    return _scaled(value, scale) % _scaled(divisor, scale) == 0


def _scaled(value: Decimal, scale: int) -> int:
    """The magnitude of value * 10 ** scale. This product must be whole."""
    numerator, denominator = ratio(value, 1, scale)
    return abs(numerator) // denominator


def ratio(value: Decimal, modulus: int, places: int) -> tuple[int, int]:
    """A value divided by modulus * 10 ** -places, as numerator and denominator."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    # (Python limits the digits that int() converts from a str)
    whole = int(Decimal((sign, digits, 0)))
    shift = exponent + places
    return (whole * 10**shift, modulus) if shift >= 0 else (whole, modulus * 10**-shift)


def opposite(value: Decimal | None) -> Decimal | None:
    """The value with the other sign. (`-value` would round it to the precision of the decimal context.)"""
    return None if value is None else value.copy_negate()


def spellings(value: Decimal, integer_only: bool) -> list[bytes]:
    """How a single value may be spelled: plainly; with `.0` after an integer; and with an exponent, if repr() of a
    float writes the value so. Zero may have a minus.

    Args:
        value: the value.
        integer_only: whether only the plain spelling is wanted.
    """
    whole, part = digits_around_point(value)
    plain = f"{whole}.{part}" if part else whole
    signs = ("", "-") if not value else ("-" if value < 0 else "",)
    if integer_only:
        return [(sign + plain).encode() for sign in signs]
    texts = [plain] if part else [plain, plain + ".0"]
    if value and (part or len(whole) > 15):
        # repr() may write an exponent here; its text is taken only if it stands for exactly this value
        try:
            spelled = repr(abs(float(value)))
        except OverflowError:
            spelled = "inf"
        if "e" in spelled and Decimal(spelled) == value.copy_abs():
            texts.append(spelled)
    return [(sign + text).encode() for sign in signs for text in texts]


def ceiling(bound: Decimal | None, is_open: bool) -> Decimal | None:
    """The least integer that is not below a bound. If the bound is open, the integer must be above it."""
    if bound is None:
        return None
    numerator, denominator = ratio(bound, 1, 0)
    return Decimal(numerator // denominator + 1 if is_open else -(-numerator // denominator))


def shifted(value: Decimal, places: int) -> Decimal:
    """The value times 10 ** places."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    return Decimal((sign, digits, exponent + places))
