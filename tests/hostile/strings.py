"""Hostile schemas of many choices about strings, and of formats beside each other."""

from __future__ import annotations

from hostile.sources import LETTERS, Made, string

__all__ = ["string_choices"]

FORMATS = "ipv4 ipv6 date time date-time uuid uri email hostname idn-hostname idn-email json-pointer".split()


def string_choices() -> Made:
    """Choices and conditions on patterns, for values and for keys; and formats of which exactly one holds."""
    for n in (6, 12, 20):
        letters = LETTERS[:n]
        three = [{"anyOf": [{"pattern": f"{c}{i}"} for i in range(3)]} for c in letters]
        text = b'"' + "1".join(letters).encode()
        yield f"{n} times one of 3 patterns", "json", string(allOf=three), text
        yield f"{n} times one of 3 patterns, any type", "json", {"allOf": three}, text
        twice = [{"if": {"pattern": c}, "then": {"pattern": c * 2}} for c in letters]
        yield f"{n} conditions on a string", "json", string(allOf=twice), b'"aabbcabb'
        other = [{"anyOf": [{"not": {"pattern": c}}, {"pattern": c * 2}]} for c in letters]
        yield f"{n} times a pattern or not another", "json", string(allOf=other), b'"aabbcabb'
        numbers = [{"anyOf": [{"pattern": c}, {"type": "integer", "minimum": i}]} for i, c in enumerate(letters)]
        yield f"{n} times a pattern or a number", "json", {"allOf": numbers}, b'"abcde'
        inside = {"type": "object", "propertyNames": {"allOf": [{"pattern": c} for c in letters]}}
        yield f"keys with {n} letters", "json", inside, b'{"abc'
        named = {**inside, "properties": {letters: {"type": "integer"}, letters[::-1]: {"type": "string"}}}
        yield f"keys with {n} letters, two named", "json", named, b'{"abc'
    for n in (4, 8, 12):
        some = [{"format": name} for name in FORMATS[:n]]
        yield f"exactly one of {n} formats", "json", string(oneOf=some), b'"1.2.3'
    for pair in (("hostname", "idn-hostname"), ("email", "idn-email"), ("uri", "iri")):
        some = [{"format": name} for name in pair]
        yield f"exactly one of {' and '.join(pair)}", "json", string(oneOf=some), b'"a.example/'
        yield f"{pair[1]}, not {pair[0]}", "json", {**some[1], "type": "string", "not": some[0]}, b'"a.example/'
    labels = r"^(?!.*://)(?=.{1,255}$)((.{1,63}\.){1,127}(?![0-9]*$)[a-z0-9-]+\.?)$"
    yield "labels that may contain dots", "json", string(pattern=labels), b'"www.mail.example.com'
    for name, short in (("dots", r"\.+"), ("a few letters", "[^-]{1,10}")):
        chunks = [{"pattern": r"^(\w{1,9}-){0,60}$"}, {"pattern": rf"^((.{{5,14}}[a-z]{{0,3}}){{1,8}}|{short})$"}]
        yield f"exactly one of labels and chunks, or {name}", "json", string(oneOf=chunks), b'"ab'
    # (what follows an s contradicts itself)
    no_s = r"^[a-rt-z ]*(?:s(?=(?:ab|cd){0,40}x$)(?!(?:[ac][bd]){0,50}[xy]$).*|0)$"
    for n in (8, 12):
        even = [{"pattern": f"^[^{c}]*({c}[^{c}]*{c}[^{c}]*)*$"} for c in LETTERS[:n]]
        yield f"an even number of {n} letters, and no s", "json", string(allOf=[{"pattern": no_s}, *even]), b'"ab'
