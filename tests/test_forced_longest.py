"""No run of forced tokens could be longer: two sentences begin with the run and then differ, or one ends with it.

`test_forced_tokens` shows that no run is too long. Here each is shown to be long enough, by two sentences that are
found by trying, and encoded by the tokenizer. (If a sentence is found whose tokens begin with those before the run, but
do not go on with the run, the run is wrong.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar_cli.bench.data import compact, load_schemas, spaced
from oracle.forced import common_tokens, longest
from shared_data import encoding

Encode = Callable[[str], list[int]]

SCHEMAS = 60
# How many places of a document are looked at: with forced bytes, and with none. Long texts take long to encode often.
PLACES = (3, 1)
LONGEST = 400


class Tally:
    """What came out at the places looked at."""

    def __init__(self) -> None:
        self.places = 0
        self.with_forced = 0
        self.not_shown: Counter[str] = Counter()
        self.not_shown_with_forced = 0
        self.contradicted: list[str] = []

    def look(
        self, tok: ff.Tokenizer, encode: Encode, matcher: Any, done: list[int], tokens: list[int], random: Random
    ) -> None:
        """One place: where the matcher stands, after `done`, on the way along `tokens`."""
        found = longest(matcher, tok.eos_token_ids, encode, done, tokens, random)
        forced = matcher.forced_bytes()
        here = f"{matcher.text_bytes[-30:]!r}, forced {forced!r} {matcher.forced_tokens()}"
        self.places += 1
        self.with_forced += bool(forced)
        if found.contradicts is not None:
            self.contradicted.append(f"{here}: {found.contradicts!r}")
        elif not found.is_shown:
            self.not_shown[here] += 1
            self.not_shown_with_forced += bool(forced)

    def report(self, name: str) -> Iterable[str]:
        """Lines for people."""
        count = self.not_shown.total()
        yield (
            f"{name}: {self.places} places, {self.with_forced} with forced bytes; a longer run is not excluded at "
            f"{count} ({count / self.places:.1%}), {self.not_shown_with_forced} of these with"
        )
        yield from (f"{times} times {here}" for here, times in self.not_shown.items())

    def check(self, most: float) -> None:
        """No run is wrong. The share of places where a longer run is not excluded is bounded: by `most`, and by 1% of
        the places with forced bytes."""
        assert self.contradicted == []
        assert self.not_shown.total() <= most * self.places, self.not_shown
        assert self.not_shown_with_forced <= 0.01 * self.with_forced, self.not_shown


def chosen(matcher: Any, tokens: Sequence[int], random: Random) -> list[int]:
    """Places of a sentence, mostly such with forced bytes."""
    kinds: tuple[list[int], list[int]] = ([], [])
    for place, token in enumerate(tokens):
        kinds[not matcher.forced_bytes()].append(place)
        assert matcher.accept_token(token)
    return sorted(
        place for kind, most in zip(kinds, PLACES, strict=True) for place in random.sample(kind, min(most, len(kind)))
    )


@pytest.mark.slow
@pytest.mark.parametrize("spelling", [spaced, compact])
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_along_documents(
    request: pytest.FixtureRequest,
    shared_dir: Path,
    covered: Callable[[str], None],
    name: str,
    spelling: Callable[[Any], str],
) -> None:
    pytest.importorskip("tiktoken")
    encode = encoding(name, shared_dir).encode_ordinary
    tok = request.getfixturevalue(name.removesuffix("_base"))
    random = Random(5)
    tally = Tally()
    for schema in load_schemas(shared_dir / "maskbench" / "dev.jsonl.gz", sample=SCHEMAS, seed=7):
        try:
            whitespace = "compact" if spelling is compact else "flexible"
            grammar = ff.compile_json_schema(schema.schema, tok, whitespace=whitespace)
        except ff.FFGrammarError:
            continue
        documents = (encode(spelling(instance.data)) for instance in schema.instances if instance.valid)
        tokens = next((one for one in documents if grammar.matcher().validate_tokens(one) == len(one)), [])
        matcher = grammar.matcher()
        for place in chosen(grammar.matcher(), tokens[:LONGEST], random):
            matcher.accept_tokens(tokens[matcher.num_steps : place])
            tally.look(tok, encode, matcher, tokens[:place], tokens, random)
    for line in tally.report(f"{name} {spelling.__name__}"):
        covered(line)
    assert tally.with_forced > SCHEMAS
    tally.check(0.01)


GRAMMARS: dict[str, Callable[[ff.Tokenizer], ff.Grammar]] = {
    "names": lambda tok: ff.compile_lark('start: "order" ("Id" | "Name" | "ing") "=" /[a-z]{1,9}/ ";"', tok),
    "spaces": lambda tok: ff.compile_regex(r"if \(x\) *\{\n( {4}|\t)return [0-9]{1,4};\n\}\n*", tok),
    "apostrophes": lambda tok: ff.compile_regex(r"(I|you|they)('ll|'ve|'d| shall)( not)? do(n't)? it\.", tok),
    "other scripts": lambda tok: ff.compile_regex(r"(\u4e2d(\u6587|\u56fd)|\u00e9t(\u00e9|ude)|\U0001f44d+)!? ok", tok),
    "brackets": lambda tok: ff.compile_lark('start: "((" (start | /x+/) "))" | "[[" /y+/ "]]"', tok),
    "numbers": lambda tok: ff.compile_regex(r"version 1234567\.[0-9]{2,5}(\.0000000)?-alpha", tok),
    "a list": lambda tok: ff.compile_lark('start: "- item" ("\\n- item" NUMBER)*\nNUMBER: /[1-9][0-9]?/', tok),
    "a schema": lambda tok: ff.compile_json_schema(
        {
            "type": "object",
            "properties": {
                "name_of_the_person": {"type": "string", "maxLength": 8},
                "kind": {"enum": ["person", "personal", "company"]},
                "tags": {"type": "array", "items": {"const": "important"}, "maxItems": 3},
            },
            "required": ["name_of_the_person", "kind", "tags"],
            "additionalProperties": False,
        },
        tok,
    ),
}


@pytest.mark.slow
def test_along_sentences_of_small_grammars(cl100k: ff.Tokenizer, covered: Callable[[str], None]) -> None:
    random = Random(3)
    every = Tally()
    for make in GRAMMARS.values():
        grammar = make(cl100k)
        for text in islice(grammar.samples(3, length=20), 6):
            tokens = cl100k.encode(text)
            matcher = grammar.matcher()
            for place, token in enumerate(tokens):
                every.look(cl100k, cl100k.encode, matcher, tokens[:place], tokens, random)
                assert matcher.accept_token(token)
    for line in every.report(f"{len(GRAMMARS)} grammars"):
        covered(line)
    every.check(0.01)


class Claims:
    """A matcher that says another run is forced."""

    def __init__(self, matcher: Any, run: list[int]) -> None:
        self.matcher = matcher
        self.run = run

    def forced_tokens(self) -> list[int]:
        return self.run

    def __getattr__(self, name: str) -> Any:
        return getattr(self.matcher, name)


def test_wrong_runs_are_told(cl100k: ff.Tokenizer) -> None:
    tokens = cl100k.encode('{"name_of_the_person": "x", "kind": "person", "tags": []}')
    matcher = GRAMMARS["a schema"](cl100k).matcher()
    assert matcher.accept_token(tokens[0])
    run = matcher.forced_tokens()
    assert cl100k.decode(run) == b"name_of_the_person"
    too_long = [*run, *cl100k.encode('"')]
    found = [
        longest(Claims(matcher, claim), cl100k.eos_token_ids, cl100k.encode, tokens[:1], tokens, Random(1))
        for claim in (run[:-1], run, too_long)
    ]
    assert [one.is_shown for one in found[:2]] == [False, True]
    assert [one.contradicts is not None for one in found] == [False, False, True]


WORDS = ["a", "ne", "or", "order", "Id", "Name", "_of", " the", "ing", "ING", "tion", "é", "É", "ß", "中", "文", "🙂"]
MARKS = ["'", "'s", "'ll", '"', '":', "{", "}", "--", "==", "//", ".", "...", ",", "1", "23", "456"]
SPACES = [" ", "  ", "\n", "\r\n", "\t", "\x85", "\xa0", "\u3000", "\u2028"]


def test_of_few_sentences_exactly(cl100k: ff.Tokenizer, covered: Callable[[str], None]) -> None:
    """All sentences are known here, and so is the longest run."""
    random = Random(1)

    def text(most: int) -> str:
        return "".join(random.choice(random.choice([WORDS, MARKS, SPACES])) for _ in range(random.randrange(most)))

    places = 0
    for _ in range(700):
        common = text(5)
        sentences = sorted({common + text(4) for _ in range(random.randint(1, 4))} - {""})
        if not sentences:
            continue
        grammar = ff.compile_choice(sentences, cl100k)
        for one in sentences:
            matcher = grammar.matcher()
            tokens = cl100k.encode(one)
            for place, token in enumerate(tokens):
                expected = common_tokens(sentences, cl100k.encode, tokens[:place])
                assert matcher.forced_tokens() == expected, (sentences, place)
                places += 1
                assert matcher.accept_token(token)
    covered(f"{places} places: what is forced is all that the sentences share")
    assert places > 4000
