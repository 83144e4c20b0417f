"""The formats of JSON Schema as regular expressions, each written after the grammar in its RFC.

Host names are in idn.py, the format `regex` is in regex_format.py.
"""

from __future__ import annotations

from functools import cache

from ffgrammar.regex.expr.store import EMPTY, ExprStore

__all__ = ["ADDRESS_LITERAL", "APPROXIMATE", "FORMATS", "IDN_LOCAL_PART", "leap_seconds", "pattern_of"]

# How the expression of a format differs from the format, for a warning.
APPROXIMATE = {
    "idn-hostname": "is enforced without decoding xn-- labels and without limiting the bytes of a label in Punycode",
    "regex": "is enforced with at most 20 nested groups, and without checking the names of groups and properties",
}

# RFC 3339. February has 29 days in years divisible by 4, except centuries not divisible by 400.
_LEAP = r"(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE = (
    r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    rf"|02-(?:0[1-9]|1[0-9]|2[0-8]))|{_LEAP}-02-29)"
)
_HOUR = r"(?:[01][0-9]|2[0-3])"
_FRACTION = r"(?:\.[0-9]+)?"
# A leap second is inserted at 23:59:60 UTC. This pattern allows it with an offset of zero, and `leap_seconds` with any
# offset.
_TIME = (
    rf"(?:{_HOUR}:[0-5][0-9]:[0-5][0-9]{_FRACTION}(?:[Zz]|[+-]{_HOUR}:[0-5][0-9])"
    rf"|23:59:60{_FRACTION}(?:[Zz]|[+-]00:00))"
)
_DURATION_TIME = r"T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
_DURATION_DATE = r"(?:[0-9]+D|[0-9]+M(?:[0-9]+D)?|[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?)"
_DURATION = rf"P(?:{_DURATION_DATE}(?:{_DURATION_TIME})?|{_DURATION_TIME}|[0-9]+W)"

# RFC 2673, RFC 4291
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_H16 = r"[0-9A-Fa-f]{1,4}"
_LS32 = rf"(?:{_H16}:{_H16}|{_IPV4})"


def _ipv6() -> str:
    forms = [rf"(?:{_H16}:){{6}}{_LS32}"]
    for before in range(8):
        left = rf"(?:{_H16}(?::{_H16}){{0,{before - 1}}})?" if before else ""
        # how many groups fit after "::" when up to `before` groups stand before it
        after = 7 - before
        if after >= 2:
            forms.append(rf"{left}::(?:{_H16}:){{{after - 2}}}{_LS32}")
        elif after == 1:
            forms.append(rf"{left}::{_H16}")
        else:
            forms.append(rf"{left}::")
    return "(?:" + "|".join(forms) + ")"


_IPV6 = _ipv6()

# RFC 5321, Mailbox; RFC 6531 adds all characters beyond ASCII
_LABEL = r"[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?"
_ATEXT = r"0-9A-Za-z!#$%&'*+/=?^_`{|}~"
ADDRESS_LITERAL = rf"\[(?:{_IPV4}|IPv6:{_IPV6})\]"


def _local_part(beyond: str) -> str:
    atom = f"[{_ATEXT}{beyond}-]+"
    return rf'(?:{atom}(?:\.{atom})*|"(?:[ !#-\[\]-~{beyond}]|\\[ -~])*")'


_EMAIL = rf"{_local_part('')}@(?:{_LABEL}(?:\.{_LABEL})*|{ADDRESS_LITERAL})"
IDN_LOCAL_PART = _local_part(r"\x{80}-\x{10FFFF}")

# RFC 3986; RFC 3987 adds to the unreserved characters, and to those of a query
_UCS = (
    r"\x{A0}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFEF}"
    + "".join([rf"\x{{{plane:X}0000}}-\x{{{plane:X}FFFD}}" for plane in range(1, 14)])
    + r"\x{E1000}-\x{EFFFD}"
)
_PRIVATE = r"\x{E000}-\x{F8FF}\x{F0000}-\x{FFFFD}\x{100000}-\x{10FFFD}"


def _uri(relative: bool, ucs: str = "", private: str = "") -> str:
    unreserved = rf"0-9A-Za-z._~{ucs}\-"
    sub_delims = r"!$&'()*+,;="
    percent = r"%[0-9A-Fa-f]{2}"
    pchar = rf"(?:[{unreserved}{sub_delims}:@]|{percent})"
    reg_name = rf"(?:[{unreserved}{sub_delims}]|{percent})*"
    userinfo = rf"(?:(?:[{unreserved}{sub_delims}:]|{percent})*@)?"
    future = rf"[vV][0-9A-Fa-f]+\.[0-9A-Za-z._~\-{sub_delims}:]+"
    authority = rf"{userinfo}(?:\[(?:{_IPV6}|{future})\]|{reg_name})(?::[0-9]*)?"
    abempty = rf"(?:/{pchar}*)*"
    absolute = rf"/(?:{pchar}+(?:/{pchar}*)*)?"
    rootless = rf"{pchar}+(?:/{pchar}*)*"
    noscheme = rf"(?:[{unreserved}{sub_delims}@]|{percent})+(?:/{pchar}*)*"
    query = rf"(?:\?(?:[{unreserved}{sub_delims}:@/?{private}]|{percent})*)?"
    fragment = rf"(?:\#(?:[{unreserved}{sub_delims}:@/?]|{percent})*)?"
    full = rf"[A-Za-z][0-9A-Za-z+.\-]*:(?://{authority}{abempty}|{absolute}|{rootless}|){query}{fragment}"
    if not relative:
        return full
    return rf"(?:{full}|(?://{authority}{abempty}|{absolute}|{noscheme}|){query}{fragment})"


# RFC 6570
def _uri_template() -> str:
    literal = rf"(?:[!\#$&()*+,\-./0-9:;=?@A-Z\[\]_a-z~{_UCS}{_PRIVATE}]|%[0-9A-Fa-f]{{2}})"
    varchar = r"(?:[0-9A-Za-z_]|%[0-9A-Fa-f]{2})"
    varspec = rf"{varchar}(?:\.?{varchar})*(?::[1-9][0-9]{{0,3}}|\*)?"
    return rf"(?:{literal}|\{{[+\#./;?&=,!@|]?{varspec}(?:,{varspec})*\}})*"


# RFC 6901
_POINTER = r"(?:/(?:[^/~]|~[01])*)*"

# Index manipulation, as in `0-1`, came with draft-bhutton-relative-json-pointer-00, which draft 2020-12 refers to.
_RELATIVE_POINTER = rf"(?:0|[1-9][0-9]*)(?:\#|{_POINTER})"
_RELATIVE_POINTER_2020 = rf"(?:0|[1-9][0-9]*)(?:[+-][1-9][0-9]*)?(?:\#|{_POINTER})"

FORMATS = frozenset(
    """date date-time duration email hostname idn-email idn-hostname ipv4 ipv6 iri iri-reference json-pointer
    regex relative-json-pointer time uri uri-reference uri-template uuid""".split()
)


def leap_seconds(name: str, store: ExprStore) -> int:
    """Leap seconds, 23:59:60 UTC, at any offset, as an expression for the format `time` or `date-time`.

    For `date-time`, the expression begins with the T, after the date.

    The hour of the offset determines the hour of the time, and the minute of the offset determines the minute of the
    time. So the expression is an intersection of matching hours and matching minutes, which is far smaller than a list
    of all offsets. Offsets to the east with the minute 00 have a part of their own: there, the hour of the time is one
    less than the hour of the offset.
    """
    literal, union, concat = store.literal, store.union, store.concat
    digit = store.byte_set(b"0123456789")
    any_two = store.repeat(digit, 2, 2)
    fraction = union([EMPTY, concat([literal(b"."), store.repeat(digit, 1, None)])])

    def two(number: int | None) -> int:
        return any_two if number is None else literal(b"%02d" % number)

    def clock(hour: int | None, minute: int | None, sign: bytes, off_hour: int | None, off_minute: int | None) -> int:
        colon = literal(b":")
        offset = [literal(sign), two(off_hour), colon, two(off_minute)]
        return concat([two(hour), colon, two(minute), literal(b":60"), fraction, *offset])

    east = [
        union([clock(hour, None, b"+", hour, None) for hour in range(24)]),
        union([clock(None, minute - 1, b"+", None, minute) for minute in range(1, 60)]),
    ]
    west = [
        union([clock(23 - hour, None, b"-", hour, None) for hour in range(24)]),
        union([clock(None, 59 - minute, b"-", None, minute) for minute in range(60)]),
    ]
    east_full = union([clock((23 + hour) % 24, 59, b"+", hour, 0) for hour in range(24)])
    times = union([store.intersect(east), store.intersect(west), east_full])
    return times if name == "time" else concat([store.byte_set(b"Tt"), times])


@cache
def pattern_of(name: str, draft: int) -> str:
    """The pattern of a format, in the syntax of Rust's regexes (dot-all). There is none for `idn-email` and for the
    formats in idn.py and regex_format.py."""
    if name == "date":
        return _DATE
    if name == "date-time":
        return f"{_DATE}[Tt]{_TIME}"
    if name == "time":
        return _TIME
    if name == "duration":
        return _DURATION
    if name == "email":
        return _EMAIL
    if name == "ipv4":
        return _IPV4
    if name == "ipv6":
        return _IPV6
    if name in ("uri", "uri-reference"):
        return _uri(name != "uri")
    if name in ("iri", "iri-reference"):
        return _uri(name != "iri", _UCS, _PRIVATE)
    if name == "uri-template":
        return _uri_template()
    if name == "json-pointer":
        return _POINTER
    if name == "relative-json-pointer":
        return _RELATIVE_POINTER if draft < 2020 else _RELATIVE_POINTER_2020
    return r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
