"""The formats that have tags: a begin, a content and an end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ffgrammar.grammar.composition.parts import Part, Repeat, SpecialToken
from ffgrammar.grammar.composition.parts import Sequence as PartSequence
from ffgrammar.grammar.names import shown
from ffgrammar.grammar.structural_tag.contained import Contained
from ffgrammar.grammar.structural_tag.entries import Entry, texts
from ffgrammar.grammar.structural_tag.formats import Fields, Format, Pending, Place, Sources
from ffgrammar.grammar.structural_tag.free import choice, dispatch, literal, then

__all__ = ["TAGGING", "Triggers", "triggered"]

TAG_KEYS = ("begin", "content", "end")


class Tag(NamedTuple):
    """A tag.

    Attributes:
        begin: where its begin stands.
        content: the format in it.
        end_token: the special token that ends it, or None.
        place: where its content stands. The content's part has the string that ends the tag.
    """

    begin: Entry
    content: Entry
    end_token: int | None
    place: Place

    def body(self, content: Part) -> Part:
        """The tag without its begin."""
        if self.end_token is None:
            return content
        return PartSequence((content, SpecialToken((self.end_token,))))


def _read_tag(entry: Entry, sources: Sources) -> Tag:
    """A tag of a list; `type` may be left out."""
    fields = entry.fields("tag", TAG_KEYS, ("type",))
    if "type" in fields and fields["type"].value != "tag":
        raise fields["type"].error(f"a tag is expected, whose type is 'tag', not {shown(fields['type'].value)}")
    return _tag_of(fields, sources)


def _tag_of(fields: Fields, sources: Sources) -> Tag:
    end = fields["end"]
    if isinstance(end.value, Mapping):
        token = _token_id(end, sources)
        return Tag(fields["begin"], fields["content"], token, Place((), (), token))
    if isinstance(end.value, (list, tuple)):
        ends = tuple(dict.fromkeys(one.text() for one in end.items("strings")))
    elif isinstance(end.value, str):
        ends = (end.text(),)
    else:
        raise end.expected("a string, an array of strings, or a token")
    return Tag(fields["begin"], fields["content"], None, Place(ends, tuple(one for one in ends if one)))


def _token_id(entry: Entry, sources: Sources) -> int:
    fields = entry.fields("token", ("token",), ("type",))
    if "type" in fields and fields["type"].value != "token":
        raise fields["type"].error(f"a token is expected, whose type is 'token', not {shown(fields['type'].value)}")
    return sources.tokens.read(fields["token"])


def _begin(entry: Entry, sources: Sources) -> Part:
    if isinstance(entry.value, Mapping):
        return SpecialToken((_token_id(entry, sources),))
    if isinstance(entry.value, str):
        return literal(entry.text())
    raise entry.expected("a string or a token")


def _tag(fields: Fields, place: Place, sources: Sources) -> Pending:
    tag = _tag_of(fields, sources)
    begin = _begin(tag.begin, sources)
    return Pending(
        [(tag.content, tag.place)],
        lambda parts: then(PartSequence((begin, tag.body(parts[0]))), place.ends),
    )


def _tags_with_separator(fields: Fields, place: Place, sources: Sources) -> Pending:
    tags = [_read_tag(one, sources) for one in fields["tags"].items("tags")]
    begins = [_begin(tag.begin, sources) for tag in tags]
    separator = literal(fields["separator"].text())
    least = _flag(fields, "at_least_one")
    once = _flag(fields, "stop_after_first")

    def build(parts: Sequence[Part]) -> Part:
        bodies = [tag.body(part) for tag, part in zip(tags, parts, strict=True)]
        any_tag = choice(PartSequence(pair) for pair in zip(begins, bodies, strict=True))
        whole = any_tag
        if not once:
            whole = PartSequence((any_tag, Repeat(PartSequence((separator, any_tag)), 0, None)))
        return then(whole if least else Repeat(whole, 0, 1), place.ends)

    return Pending([(tag.content, tag.place) for tag in tags], build)


def _flag(fields: Fields, key: str) -> bool:
    return key in fields and fields[key].flag()


class Triggers:
    """The triggers of free text.

    Args:
        entries: where they stand.
        excluded: what may not be in the free text.

    Raises:
        GrammarError: a trigger contains another trigger or an excluded text. So it would never be reached.
    """

    def __init__(self, entries: Iterable[Entry], excluded: Iterable[bytes]) -> None:
        self.entries = {one.text(empty=False): one for one in entries}
        self.excluded = tuple(excluded)
        self._lengths = sorted({len(one) for one in self.entries})
        others, banned = Contained(self.entries), Contained(self.excluded)
        for trigger, entry in self.entries.items():
            other = others.find_shorter(trigger)
            if other is not None:
                raise entry.error(f"this trigger is never reached, because the trigger {other.decode()!r} is in it")
            other = banned.find(trigger)
            if other is not None:
                raise entry.error(
                    f"this trigger is never reached, because {other.decode()!r} is in it, which is excluded, or ends "
                    "the tag around"
                )

    def of(self, begin: Entry) -> bytes:
        """The trigger with which the begin of a tag begins.

        Raises:
            GrammarError: it begins with no trigger, or is a token.
        """
        if isinstance(begin.value, Mapping):
            raise begin.error("a string is expected; a tag of token_triggered_tags begins with a token")
        text = begin.text()
        for length in self._lengths:
            if text[:length] in self.entries and len(text) >= length:
                return text[:length]
        some = ", ".join(repr(one.decode()) for one in [*self.entries][:3])
        raise begin.error(f"{begin.value!r} begins with no trigger ({some}{', …' if len(self.entries) > 3 else ''})")


def _triggered_tags(fields: Fields, place: Place, sources: Sources) -> Pending:
    triggers = Triggers(fields["triggers"].items("strings"), (*texts(fields, "excludes"), *place.around))
    tags = [_read_tag(one, sources) for one in fields["tags"].items("tags")]
    found = [triggers.of(tag.begin) for tag in tags]
    least = _flag(fields, "at_least_one")
    once = _flag(fields, "stop_after_first")

    def build(parts: Sequence[Part]) -> Part:
        bodies = [(tag.begin.text(), tag.body(part)) for tag, part in zip(tags, parts, strict=True)]
        return triggered(triggers, found, bodies, place.ends, least, once)

    return Pending([(tag.content, tag.place) for tag in tags], build)


def triggered(
    triggers: Triggers,
    found: Sequence[bytes],
    tags: Sequence[tuple[bytes, Part]],
    ends: tuple[bytes, ...] = (),
    least: bool = False,
    once: bool = False,
) -> Part:
    """Free text, in which each trigger goes on as one of its tags.

    Args:
        triggers: the triggers.
        found: the trigger of each tag.
        tags: the begin of each tag, and what follows it.
        ends: what follows all; empty: nothing.
        least: the text begins with a tag.
        once: nothing follows the first tag.
    """
    after: dict[bytes, list[Part]] = {trigger: [] for trigger in triggers.entries}
    for trigger, (begin, body) in zip(found, tags, strict=True):
        after[trigger].append(PartSequence((literal(begin[len(trigger) :]), body)))
    rules = {trigger: choice(bodies) if bodies else None for trigger, bodies in after.items()}
    first = choice(PartSequence((literal(one), part)) for one, part in rules.items() if part is not None)
    if least and once:
        return then(first, ends)
    free = dispatch(rules, triggers.excluded, not once, ends)
    return PartSequence((first, free)) if least else free


def _dispatch(fields: Fields, place: Place, sources: Sources) -> Pending:
    rules = [_rule(one) for one in fields["rules"].items("pairs of a string and a format")]
    triggers = Triggers([trigger for trigger, _ in rules], texts(fields, "excludes"))
    loop = "loop" not in fields or fields["loop"].flag()

    def build(parts: Sequence[Part]) -> Part:
        after: dict[bytes, list[Part]] = {trigger: [] for trigger in triggers.entries}
        for (trigger, _), part in zip(rules, parts, strict=True):
            after[trigger.text()].append(part)
        return dispatch(
            {trigger: choice(found) for trigger, found in after.items()}, triggers.excluded, loop, place.ends
        )

    return Pending([(content, place.without_ends()) for _, content in rules], build)


def _rule(entry: Entry) -> tuple[Entry, Entry]:
    if not isinstance(entry.value, (list, tuple)) or len(entry.value) != 2:
        raise entry.error("a pair is expected: what begins a format, and the format")
    trigger, content = entry.items("pairs")
    return trigger, content


def _token_triggered_tags(fields: Fields, place: Place, sources: Sources) -> Pending:
    triggers = [(one, sources.tokens.read(one)) for one in fields["trigger_tokens"].items("tokens")]
    excluded = _excluded(fields, triggers, place, sources)
    tags = [_read_tag(one, sources) for one in fields["tags"].items("tags")]
    begins = [_token_begin(tag.begin, {token for _, token in triggers}, sources) for tag in tags]
    least = _flag(fields, "at_least_one")
    once = _flag(fields, "stop_after_first")

    def build(parts: Sequence[Part]) -> Part:
        bodies = [tag.body(part) for tag, part in zip(tags, parts, strict=True)]
        calls = _calls(begins, bodies)
        if least and once:
            return then(choice(calls), place.ends)
        free = _free_tokens(sources, excluded, calls, once)
        return then(PartSequence((choice(calls), free)) if least else free, place.ends)

    return Pending([(tag.content, tag.place) for tag in tags], build)


def _token_begin(entry: Entry, triggers: set[int], sources: Sources) -> int:
    if isinstance(entry.value, str):
        raise entry.error("a token is expected; a tag of triggered_tags begins with a string")
    token = _token_id(entry, sources)
    if token not in triggers:
        raise entry.error(f"{entry.value['token']!r} is none of the trigger tokens")
    return token


def _token_dispatch(fields: Fields, place: Place, sources: Sources) -> Pending:
    rules = [_rule(one) for one in fields["rules"].items("pairs of a token and a format")]
    triggers = [(trigger, sources.tokens.read(trigger)) for trigger, _ in rules]
    excluded = _excluded(fields, triggers, Place(), sources)
    once = "loop" in fields and not fields["loop"].flag()

    def build(parts: Sequence[Part]) -> Part:
        calls = _calls([token for _, token in triggers], parts)
        return then(_free_tokens(sources, excluded, calls, once), place.ends)

    return Pending([(content, place.without_ends()) for _, content in rules], build)


def _excluded(fields: Fields, triggers: Sequence[tuple[Entry, int]], place: Place, sources: Sources) -> frozenset[int]:
    """The tokens that are not free: excluded ones, triggers, and the one that ends the tag around."""
    excluded = sources.tokens.read_all(fields, "exclude_tokens")
    if place.around_token is not None:
        excluded |= {place.around_token}
    for entry, token in triggers:
        if token in excluded:
            raise entry.error("this token is never reached, because it is excluded, or ends the tag around")
    return excluded.union(token for _, token in triggers)


def _calls(tokens: Sequence[int], bodies: Sequence[Part]) -> list[Part]:
    """What begins with a token, by token."""
    after: dict[int, list[Part]] = {}
    for token, body in zip(tokens, bodies, strict=True):
        after.setdefault(token, []).append(body)
    return [PartSequence((SpecialToken((token,)), choice(found))) for token, found in after.items()]


def _free_tokens(sources: Sources, excluded: frozenset[int], calls: Sequence[Part], once: bool) -> Part:
    """Any tokens, and calls among them, or one call after them."""
    if not once:
        return sources.tokens.stretch(excluded, calls)
    return PartSequence((sources.tokens.stretch(excluded), Repeat(choice(calls), 0, 1)))


TAGGING = {
    "tag": Format(_tag, TAG_KEYS),
    "triggered_tags": Format(_triggered_tags, ("triggers", "tags"), ("excludes", "at_least_one", "stop_after_first")),
    "tags_with_separator": Format(_tags_with_separator, ("tags", "separator"), ("at_least_one", "stop_after_first")),
    "dispatch": Format(_dispatch, ("rules",), ("excludes", "loop")),
    "token_triggered_tags": Format(
        _token_triggered_tags, ("trigger_tokens", "tags"), ("exclude_tokens", "at_least_one", "stop_after_first")
    ),
    "token_dispatch": Format(_token_dispatch, ("rules",), ("exclude_tokens", "loop")),
}
