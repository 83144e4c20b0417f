r"""The format `regex`: the patterns of ECMA-262, with at most DEEPEST nested groups.

An expression cannot match groups that are nested to any depth. Equal expressions are stored only once, so 20 levels are
cheap. The patterns are those of the main grammar of ECMA-262, with and without the `u` flag, and `[\w-.]` of annex B.
Nothing of other dialects is included.

- Some valid patterns are not accepted: groups that are nested deeper, names of groups beyond ASCII, `\k<name>`, a
  backslash before a character beyond ASCII, and some counts {n,m}. Counts are not accepted if n and m have equally many
  digits, at least three, and the same first digit, as in {512,560}; or if n has more than five digits; or if n or m has
  a leading zero.
- Some invalid patterns are accepted. It is not checked whether the group of a back-reference exists, whether the names
  of groups differ, whether a property exists, and whether a digit follows `\0`. The order of a range is checked only if
  both its ends are plain ASCII characters.
"""

from __future__ import annotations

from ffgrammar.regex.expr.store import EMPTY, ExprStore
from ffgrammar.regex.lower.lowering import Encoding, compile_regex

__all__ = ["DEEPEST", "regex_format"]

DEEPEST = 20

HEX = "[0-9A-Fa-f]"
CHARACTER_ESCAPE = (
    rf"\\(?:[tnvfr0]|c[A-Za-z]|x{HEX}{{2}}|u{HEX}{{4}}|u\{{0*(?:(?:10|{HEX})?{HEX}{{4}}|{HEX}{{1,3}})\}}|"
    r"[\x00-\x7F--0-9A-Za-z_])"
)
CLASS_ESCAPE = r"\\(?:[dDwWsS]|[pP]\{[0-9A-Za-z_]+(?:=[0-9A-Za-z_]+)?\})"
ASSERTION = r"\^|\$|\\[bB]"
GROUP = r"\((?:\?:|\?<[A-Za-z_$][0-9A-Za-z_$]*>)?"
LOOK = r"\(\?<?[=!]"
# In a class: what a range can begin or end with, other than a plain character of ASCII.
WIDE = rf"(?:[^\\\]\x00-\x7F]|{CHARACTER_ESCAPE}|\\b)"
# A hyphen is an ordinary character at the beginning of a class, at its end, after a range, and after \w and the like.
# At the beginning and after a range it can also begin a range.
FROM_HYPHEN = rf"(?:--(?:[^\\\]\x00-\x2C]|{CHARACTER_ESCAPE}|\\b))"
HYPHENS = rf"{FROM_HYPHEN}*-?"


def _class() -> str:
    # a caret at the beginning negates the class
    begin = rf"\^{HYPHENS}|{FROM_HYPHEN}+-?|-|{_item('^')}"
    return rf"\[(?:(?:{begin}){_item('')}*)?-?\]"


def _item(without: str) -> str:
    """A character, an escape or a range of a class, and the hyphens that may follow it. `without` is a character that
    the item must not begin with, or empty."""
    begin = [code for code in range(0x80) if chr(code) not in rf"\]-{without}"]
    ordered = [rf"\x{{{code:X}}}-[\x{{{code:X}}}-\x7F--\\\]]" for code in begin]
    last = rf"(?:[^\\\]]|{CHARACTER_ESCAPE}|\\b)"
    mixed = rf"{WIDE}-{last}|[^\\\]\-{without}]-{WIDE}"
    return (
        rf"(?:(?:{'|'.join(ordered)}|{mixed}){HYPHENS}|[^\\\]\-{without}]|{CHARACTER_ESCAPE}|\\b|(?:{CLASS_ESCAPE})-?)"
    )


def _counts() -> str:
    # {n}, {n,}, and {n,m} where n is not above m
    equal_length = [f"{digit},[{digit}-9]" for digit in range(10)]
    equal_length += [
        f"{tens}{ones},(?:{tens}[{ones}-9]" + (f"|[{tens + 1}-9][0-9]" if tens < 9 else "") + ")"
        for tens in range(1, 10)
        for ones in range(10)
    ]
    more = [
        f"{first}[0-9]{{{length - 1}}},[{first + 1}-9][0-9]{{{length - 1}}}"
        for first in range(1, 9)
        for length in range(3, 6)
    ]
    longer = [f"(?:0|[1-9][0-9]{{0,{length - 1}}}),[1-9][0-9]{{{length},}}" for length in range(1, 6)]
    return rf"\{{(?:[0-9]+,?|{'|'.join(equal_length + more + longer)})\}}"


def regex_format(store: ExprStore, encode: Encoding) -> int:
    """The patterns of ECMA-262 as an expression; `encode` spells their characters."""

    def of(pattern: str) -> int:
        return compile_regex(store, pattern, "rust", encode=encode, dot_all=True)

    atom = of(rf"[^\^$\\.*+?()\[\]{{}}|]|\.|{CHARACTER_ESCAPE}|{CLASS_ESCAPE}|\\[1-9][0-9]*|{_class()}")
    quantifier = store.union([EMPTY, of(rf"(?:[*+?]|{_counts()})\??")])
    quantified = store.concat([atom, quantifier])
    assertion, group, look, close, bar = of(ASSERTION), of(GROUP), of(LOOK), of(r"\)"), of(r"\|")
    terms = [quantified, assertion]
    for _ in range(DEEPEST + 1):
        branch = store.repeat(store.union(terms), 0, None)
        pattern = store.concat([branch, store.repeat(store.concat([bar, branch]), 0, None)])
        inner = [store.concat([group, pattern, close, quantifier]), store.concat([look, pattern, close])]
        terms = [quantified, assertion, *inner]
    return pattern
