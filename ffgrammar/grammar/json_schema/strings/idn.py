r"""The formats `hostname` and `idn-hostname`: labels of letters and digits, and labels of IDNA 2008.

A label with characters beyond ASCII obeys RFC 5891, 4.2: the allowed characters (RFC 5892, with its rules about their
neighbours), the rules about hyphens, no leading mark, normal form C, and the Bidi rule (RFC 5893). A label that begins
with `xn--` must have the form of Punycode.

Two rules are not enforced. A label that begins with `xn--` is not decoded. And a label with many characters beyond
ASCII may be longer than 63 bytes in Punycode. (Such a label of more than 59 characters always is longer, and is
refused.) Both rules are left out because the weight of a digit in Punycode depends on the digits before it. No
expression of a sensible size can keep account of this weight.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from ffgrammar.grammar.json_schema.strings.idn_table import members
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, ExprStore
from ffgrammar.regex.lower.lowering import Encoding, compile_regex
from ffgrammar.regex.syntax.charset import ANY, Charset, difference, from_ranges, intersect, of_chars, union

__all__ = ["hostname", "idn_hostname"]

LDH = "[0-9A-Za-z-]"
LABEL = "[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?"
ANY_LABEL = "[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?"
MAX_LENGTH = 253
# The characters of a label in ASCII, and of one with characters beyond ASCII.
MAX_LABEL = 63
MAX_BEYOND_ASCII = 59

# Punycode ends with numbers in base 36. The digits a-z have the values 0 to 25, and 0-9 have the values 26 to 35. The
# least significant digit of a number comes first. A digit below its threshold ends a number. The threshold is 1 for the
# first two digits of the first number (so only `a` ends it there), and at most 26 for all other digits. So 0-9 never
# end a number. If the label has ASCII characters, they and a hyphen come before the numbers.
NUMBERS = "(?:[Aa]|[B-Zb-z0-9][Aa]|[B-Zb-z0-9]{2}[0-9]*[A-Za-z])(?:[0-9A-Za-z]*[A-Za-z])?"
PUNYCODE = f"[Xx][Nn]--(?:{LDH}+-)?{NUMBERS}"

# The characters that RFC 3490, 3.1, treats as dots.
DOTS = ".\u3002\uff0e\uff61"

ASCII: Charset = ((0, 0x7F),)
ARABIC_INDIC: Charset = ((0x660, 0x669),)
EXTENDED_ARABIC_INDIC: Charset = ((0x6F0, 0x6F9),)


def hostname(store: ExprStore, encode: Encoding) -> int:
    """Host names of RFC 1123, in ASCII."""
    return store.intersect(_dotted(store, encode, _ascii_label(store, encode, LABEL, "[Xx][Nn]--"), "."))


def idn_hostname(store: ExprStore, encode: Encoding) -> int:
    """Host names whose labels may be internationalized (RFC 5890, 2.3.2.3).

    The lengths of the labels are an expression beside the one for what labels are made of. Together in one expression,
    they would have as many derivatives as the product of the two.
    """
    plain = _ascii_label(store, encode, ANY_LABEL, f"{LDH}{{2}}--")
    label = store.union([plain, _Labels(store, encode).beyond_ascii()])
    inside = difference(ANY, of_chars(DOTS))
    char, beyond = encode.charset(store, intersect(inside, ASCII)), encode.charset(store, inside)
    lengths = store.union([store.repeat(char, 1, MAX_LABEL), store.repeat(beyond, 1, MAX_BEYOND_ASCII)])
    dot = encode.charset(store, of_chars(DOTS))
    bounded = store.concat([lengths, store.repeat(store.concat([dot, lengths]), 0, None)])
    return store.intersect([*_dotted(store, encode, label, DOTS), bounded])


def _ascii_label(store: ExprStore, encode: Encoding, label: str, reserved: str) -> int:
    """A label in ASCII. If it begins with a match of the pattern `reserved`, it must be Punycode."""
    every, beginning, punycode = [
        compile_regex(store, pattern, "rust", encode=encode) for pattern in (label, reserved, PUNYCODE)
    ]
    others = store.complement(store.concat([beginning, ANY_BYTES]))
    return store.intersect([every, store.union([others, punycode])])


def _dotted(store: ExprStore, encode: Encoding, label: int, dots: str) -> list[int]:
    """Labels with dots between them, and texts that are short enough for a name."""
    dot = encode.charset(store, of_chars(dots))
    name = store.concat([label, store.repeat(store.concat([dot, label]), 0, None)])
    # To bound the length, only the first byte of each character is counted, and any number of other bytes may follow
    # it. An expression that fixed the number of these bytes would mislead the search for a shortest text: this search
    # adds up the lengths that the parts of an expression need.
    first, others = store.byte_set(bytes([*range(0x80), *range(0xC0, 0x100)])), store.byte_set(bytes(range(0x80, 0xC0)))
    char = store.concat([first, store.repeat(others, 0, None)])
    return [name, store.repeat(char, 0, MAX_LENGTH)]


class _Labels:
    """The rules for labels with characters beyond ASCII. Each rule is an expression for the texts that break it.

    Any bytes may stand before and after the part that breaks the rule. So a broken rule is recognised at once, without
    a search.
    """

    def __init__(self, store: ExprStore, encode: Encoding) -> None:
        self.store = store
        self.encode = encode

    def one(self, chars: Charset) -> int:
        return self.encode.charset(self.store, chars)

    def has(self, *parts: int) -> int:
        """The texts that contain these parts, one after another."""
        return self.store.concat([ANY_BYTES, *parts, ANY_BYTES])

    def starts(self, *parts: int) -> int:
        return self.store.concat([*parts, ANY_BYTES])

    def ends(self, *parts: int) -> int:
        return self.store.concat([ANY_BYTES, *parts])

    def beyond_ascii(self) -> int:
        store = self.store
        every = members()
        hyphen = self.one(of_chars("-"))
        broken = [
            self.starts(hyphen),
            self.ends(hyphen),
            self.starts(self.one(every), self.one(every), hyphen, hyphen),
            self.starts(self.one(members("mark"))),
            *self.neighbours(),
            self.joiners(),
            self.bidi(),
            self.not_composed(),
        ]
        text = store.repeat(self.one(every), 1, None)
        beyond = self.has(self.one(difference(every, ASCII)))
        # The rule of RFC 5892, appendix A.7, is written differently: as an expression for the texts that obey the rule.
        # Such an expression guides the search for the end of a label.
        no_katakana_dot = store.complement(self.has(self.one(of_chars("\u30fb"))))
        katakana = store.union([no_katakana_dot, self.has(self.one(members("cjk")))])
        return store.intersect([text, beyond, katakana, store.complement(store.union(broken))])

    def neighbours(self) -> list[int]:
        """Texts that break a rule of RFC 5892, appendices A.3 to A.6, A.8 and A.9, as several expressions."""
        store, every = self.store, members()
        middle_dot, keraia, geresh = [self.one(of_chars(chars)) for chars in ("\u00b7", "\u0375", "\u05f3\u05f4")]

        def after_other_than(chars: Charset) -> int:
            return store.union([EMPTY, self.ends(self.one(difference(every, chars)))])

        def before_other_than(chars: Charset) -> int:
            return store.union([EMPTY, self.starts(self.one(difference(every, chars)))])

        middle = of_chars("l")
        return [
            store.concat([after_other_than(middle), middle_dot, ANY_BYTES]),
            store.concat([ANY_BYTES, middle_dot, before_other_than(middle)]),
            store.concat([ANY_BYTES, keraia, before_other_than(members("greek"))]),
            store.concat([after_other_than(members("hebrew")), geresh, ANY_BYTES]),
            store.intersect([self.has(self.one(ARABIC_INDIC)), self.has(self.one(EXTENDED_ARABIC_INDIC))]),
        ]

    def joiners(self) -> int:
        """Texts that break the rules of RFC 5892, appendices A.1 and A.2.

        The rules: a joiner must follow a virama. But a zero width non-joiner may also stand between letters that join.
        """
        store, complement = self.store, self.store.complement
        no_virama = complement(self.ends(self.one(members("virama"))))
        skipped = store.repeat(self.one(members("transparent")), 0, None)
        joined_before = self.ends(self.one(members("joins_after")), skipped)
        joined_after = self.starts(skipped, self.one(members("joins_before")))
        wide, narrow = self.one(of_chars("\u200d")), self.one(of_chars("\u200c"))
        return store.union(
            [
                store.concat([no_virama, wide, ANY_BYTES]),
                store.concat([store.intersect([no_virama, complement(joined_before)]), narrow, ANY_BYTES]),
                store.concat([no_virama, narrow, complement(joined_after)]),
            ]
        )

    def bidi(self) -> int:
        """The Bidi rule, RFC 5893, section 2: labels that have a right-to-left character and break the rule."""
        store = self.store
        right_to_left, arabic_numbers, numbers = members("rtl"), members("an"), members("en")
        found = self.has(self.one(union(right_to_left, arabic_numbers)))
        inside = union(right_to_left, arabic_numbers, numbers, members("neutral"), members("nsm"))
        last = self.one(union(right_to_left, arabic_numbers, numbers))
        allowed = store.intersect(
            [
                self.starts(self.one(right_to_left)),
                store.repeat(self.one(inside), 0, None),
                self.ends(last, store.repeat(self.one(members("nsm")), 0, None)),
                store.complement(store.intersect([self.has(self.one(arabic_numbers)), self.has(self.one(numbers))])),
            ]
        )
        return store.intersect([found, store.complement(allowed)])

    def not_composed(self) -> int:
        """Texts that normal form C would change: marks out of order, or a mark that composes with what is before it."""
        store = self.store
        order, compositions = _normal_form()
        found = []
        above: Charset = ()
        for kind in sorted(order, reverse=True):
            if above:
                found.append(store.concat([self.one(above), self.one(order[kind])]))
            above = union(above, order[kind])
        for (kind, bases), marks in compositions.items():
            between = union(*[chars for other, chars in order.items() if other < kind]) if kind else ()
            skipped = store.repeat(self.one(between), 0, None) if between else EMPTY
            found.append(store.concat([self.one(bases), skipped, self.one(marks)]))
        # one expression for all of them, so that the first characters are examined only once
        return self.has(store.union(found))


@cache
def _normal_form() -> tuple[dict[int, Charset], dict[tuple[int, Charset], Charset]]:
    """What `not_composed` needs of normal form C: two dicts.

    The first one has the marks of each combining class other than 0. The second one has, for each pair of a combining
    class and a set of characters, the marks of that class that compose with exactly these characters.
    """
    by_class: dict[int, list[tuple[int, int]]] = {}
    for first, last in members("mark"):
        for code_point in range(first, last + 1):
            kind = unicodedata.combining(chr(code_point))
            if kind:
                by_class.setdefault(kind, []).append((code_point, code_point))
    allowed = [(first, last) for first, last in members() if last >= 0xC0]
    bases: dict[str, list[tuple[int, int]]] = {}
    composed: list[tuple[str, int]] = []
    for first, last in allowed:
        if 0x3400 <= first <= 0x4E00 or 0xAC00 <= first <= 0xD7A3 or 0x17000 <= first <= 0x1B000 or first >= 0x20000:
            # ideographs and syllables: none of them is composed of a base and a mark that a label may have
            continue
        for code_point in range(first, last + 1):
            parts = unicodedata.decomposition(chr(code_point)).split()
            if len(parts) == 2 and parts[0][0] != "<":
                base, mark = chr(int(parts[0], 16)), chr(int(parts[1], 16))
                if unicodedata.normalize("NFC", base + mark) == chr(code_point):
                    bases.setdefault(mark, []).append((ord(base), ord(base)))
                    composed.append((chr(code_point), unicodedata.combining(mark)))
    for mark, ranges in bases.items():
        kind = unicodedata.combining(mark)
        for char, its_kind in composed:
            # `mark` sorts before the mark that `char` contains, so it may compose with the base of `char`
            if 0 < kind < its_kind and unicodedata.normalize("NFC", char + mark) != char + mark:
                ranges.append((ord(char), ord(char)))
    marks: dict[tuple[int, Charset], list[tuple[int, int]]] = {}
    for mark, ranges in bases.items():
        key = (unicodedata.combining(mark), from_ranges(ranges))
        marks.setdefault(key, []).append((ord(mark), ord(mark)))
    return (
        {kind: from_ranges(ranges) for kind, ranges in by_class.items()},
        {key: from_ranges(ranges) for key, ranges in marks.items()},
    )
