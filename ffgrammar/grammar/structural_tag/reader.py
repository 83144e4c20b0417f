"""From the JSON form of a structural tag to a part of a composition."""

from __future__ import annotations

from collections.abc import Mapping

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.composition.parts import Part
from ffgrammar.grammar.json_schema.documents.text import read_text
from ffgrammar.grammar.names import did_you_mean, shown
from ffgrammar.grammar.structural_tag.entries import Entry
from ffgrammar.grammar.structural_tag.formats import FORMATS, Pending, Place, Sources
from ffgrammar.grammar.structural_tag.free import then
from ffgrammar.grammar.structural_tag.tagging import TAGGING, Triggers, triggered

__all__ = ["read"]

KINDS = {**FORMATS, **TAGGING}


def read(tag: object, sources: Sources, limits: Limits) -> Part:
    """The part of a structural tag.

    Args:
        tag: what JSON has, or JSON text.
        sources: where leaves and tokens come from.
        limits: bounds on its size and depth.

    Raises:
        GrammarError: it is malformed (`pointer` says where).
        UnsupportedError: something in it cannot be enforced exactly.
        LimitError: it is too large or too deep.
    """
    root = Entry(read_text(tag, limits, "the structural tag") if isinstance(tag, str) else tag)
    if not isinstance(root.value, Mapping):
        raise root.expected("a structural tag, which is an object,")
    kind = root.value.get("type", "structural_tag")
    if kind != "structural_tag":
        is_format = isinstance(kind, str) and kind in KINDS
        hint = '; write {"type": "structural_tag", "format": …} around this format' if is_format else ""
        raise root.member("type").error(f"the type of a structural tag is 'structural_tag', not {shown(kind)}{hint}")
    if "structures" in root.value:
        return _older_form(root, sources)
    return _read_formats(root.fields("structural tag", ("format",), ("type",))["format"], sources, limits)


def _read_formats(root: Entry, sources: Sources, limits: Limits) -> Part:
    """The part of a format with all formats in it."""
    found: list[Pending] = []
    inner: list[list[int]] = []
    waiting: list[tuple[Entry, Place, int, int | None]] = [(root, Place(), 0, None)]
    while waiting:
        entry, place, depth, parent = waiting.pop()
        if depth > limits.nesting:
            raise LimitError("nesting", limits.nesting, "the structural tag is nested too deep", f"at {entry.pointer}")
        if parent is not None:
            inner[parent].append(len(found))
        pending = _read_format(entry, place, sources)
        number = len(found)
        found.append(pending)
        inner.append([])
        waiting += [(one, where, depth + 1, number) for one, where in reversed(pending.inner)]
    parts: dict[int, Part] = {}
    # (a format comes before those in it)
    for number in range(len(found) - 1, -1, -1):
        parts[number] = found[number].build([parts[one] for one in inner[number]])
    return parts[0]


def _read_format(entry: Entry, place: Place, sources: Sources) -> Pending:
    if not isinstance(entry.value, Mapping):
        raise entry.expected("a format, which is an object,")
    kind = entry.value.get("type")
    if kind is None:
        raise entry.error(f"the format needs a type, one of {', '.join(KINDS)}")
    if not isinstance(kind, str) or kind not in KINDS:
        like = did_you_mean(kind, list(KINDS)) if isinstance(kind, str) else ""
        raise entry.member("type").error(f"there is no format {shown(kind)}{like or '; there are ' + ', '.join(KINDS)}")
    form = KINDS[kind]
    fields = entry.fields(kind, ("type", *form.required), form.optional)
    try:
        return form.read(fields, place, sources)
    except GrammarError as error:
        if error.pointer is None:
            raise type(error)(error.message, pointer=entry.pointer) from None
        raise


def _older_form(root: Entry, sources: Sources) -> Part:
    """The older form: triggered tags whose contents are schemas."""
    fields = root.fields("structural tag", ("structures", "triggers"), ("type",))
    triggers = Triggers(fields["triggers"].items("strings"), ())
    found, tags = [], []
    for entry in fields["structures"].items("structures"):
        one = entry.fields("structure", ("begin", "schema", "end"))
        found.append(triggers.of(one["begin"]))
        tags.append((one["begin"].text(), then(sources.leaves.schema(one["schema"]), (one["end"].text(),))))
    return triggered(triggers, found, tags)
