"""Canonical masks and prompts, against the encodings of all sentences of finite languages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import permutations, zip_longest
from pathlib import Path
from random import Random
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest
import tiktoken

import ffgrammar as ff
from ffgrammar_cli.bench.data import compact, load_schemas, spaced
from oracle.languages import allowed, compare
from oracle.rules_checks import check_along, check_masks, check_prompts

NAMES = ["cl100k_base", "o200k_base"]

# Of other tokenizers (oracle/trained.py), those that differ most: pre-tokens cut again, bytes of characters, tokens
# that merges do not make, tokens that are found before all else, no pre-tokens at all.
KINDS = ["llama 3", "digits", "deepseek", "whole text", "whole pre-tokens", "odd merges", "added", "llama 2", "gemma"]


@pytest.fixture(scope="module", params=NAMES)
def tok(request: pytest.FixtureRequest) -> ff.Tokenizer:
    return ff.Tokenizer.from_tiktoken(request.param)


@pytest.fixture(scope="module", params=[*NAMES, *KINDS])
def any_tok(request: pytest.FixtureRequest) -> ff.Tokenizer:
    if request.param in NAMES:
        return ff.Tokenizer.from_tiktoken(request.param)
    pytest.importorskip("tokenizers")
    from oracle.trained import make

    return make(request.param)[1]


def test_masks_are_those_of_all_sentences(any_tok: ff.Tokenizer, covered: Callable[[str], None]) -> None:
    languages = 150 if any_tok.name in NAMES else 80
    places = check_masks(any_tok, any_tok.encode, Random(1), languages)
    covered(f"{any_tok.name}: {places} places in {languages} languages")


def test_prompts_are_cut_to_what_no_sentence_changes(any_tok: ff.Tokenizer, covered: Callable[[str], None]) -> None:
    languages = 150 if any_tok.name in NAMES else 80
    places, taken_back = check_prompts(any_tok, any_tok.encode, Random(2), languages)
    assert taken_back > 2
    covered(f"{any_tok.name}: {places} places in {languages} languages after prompts; {taken_back} prompts cut back")


def test_a_prompt_may_be_healed_and_the_text_be_free(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_regex(r' ?"[a-z]{1,9}"', cl100k)
    matcher: Any = grammar.matcher(prompt='{"name":')
    assert cl100k.decode(matcher.prompt_tokens) == b'{"name' and matcher.prompt_rest == b'":'
    assert matcher.forced_bytes() == b'":' and matcher.distance() >= 2
    assert not matcher.is_accepting()
    tokens = {cl100k.token_bytes(token) for token in allowed(matcher)}
    assert b'":' in tokens and b'"' not in tokens
    assert matcher.accept_tokens(cl100k.encode('": "')) == 2 and matcher.prompt_rest == b""
    assert matcher.text_bytes == b' "'
    # from here on it is as any other
    plain = grammar.matcher()
    plain.accept_bytes(b' "')
    assert allowed(matcher) == allowed(plain)
    for token in cl100k.encode("a") * 3 + cl100k.encode('"'):
        assert matcher.accept_token(token)
    assert matcher.is_accepting() and matcher.text_bytes == b' "aaa"'
    matcher.rollback(5)
    assert matcher.prompt_rest == b"" and matcher.accept_token(cl100k.encode(' "')[0])
    matcher.rollback(2)
    assert matcher.prompt_rest == b'":' and {cl100k.token_bytes(token) for token in allowed(matcher)} == tokens
    assert matcher.accept_bytes(b'": "ab') == 6 and matcher.text_bytes == b' "ab' and matcher.num_steps == 1
    matcher.reset()
    assert matcher.prompt_rest == b'":' and matcher.accept_bytes(b'":x') == 2 and matcher.accept_bytes(b"x") == 0
    assert matcher.prompt_rest == b"" and matcher.text_bytes == b"" and matcher.accept_bytes(b' "x"') == 4
    matcher.reset()
    assert matcher.accept_bytes(b'"') == 1 and matcher.prompt_rest == b":"
    fork = matcher.fork()
    assert fork.accept_bytes(b": ") == 2 and matcher.prompt_rest == b":"


def test_only_what_both_go_on_with(cl100k: ff.Tokenizer) -> None:
    """`o`, `or`, `ord` and `orde` may each come by the grammar, but no text goes on so that they stay."""
    schema = {"properties": {"orderId": {}, "orderName": {}}, "additionalProperties": False, "minProperties": 1}
    matcher = ff.compile_json_schema({"type": "object", **schema}, cl100k).matcher(canonical=True)
    assert matcher.accept_tokens(cl100k.encode('{"')) == 1
    assert {cl100k.token_bytes(token) for token in allowed(matcher)} == {b"order", b"orderId"}


@pytest.mark.parametrize(
    "sentences",
    [
        [f"name{'x' * size}" for size in (1, 58, 59, 60, 61, 62, 63, 64, 65)],
        [f"word{letter}s" for letter in "abcdefghijkl"],
        [f"word{letter}s" for letter in "abcdefghijklm"],
        [f"{'ab' * 40}{letter}{'cd' * 40}" for letter in "mnop"],
        [f"{chr(48 + i)}{chr(80 + i)}word" for i in range(5)],
        [f"{chr(0x3A + i)}words{i}" for i in range(34)],
        [f"{chr(97 + i)}{'order' * i}Name{'nne' * i}{i}" for i in range(16)],
        ["a" * 300, "a" * 301 + "b", "a" * 64 + ".", "a" * 65 + " b"],
        ["\u65e5\u672c\u8a9e", "\u65e5\u672c", "\u65e5x", "\u00e9t\u00e9", "\u00e9tude", "\U0001f642\U0001f44d"],
        ['"order":', '"orders":', '"', '",', '","', '"}', '"}}', '"},"x"'],
    ],
    ids=[
        "long",
        "12 bytes",
        "13 bytes",
        "many bytes",
        "5 bytes",
        "34 bytes",
        "many places",
        "one letter",
        "characters",
        "quotes",
    ],
)
def test_places_with_few_texts_and_with_more(any_tok: ff.Tokenizer, sentences: list[str]) -> None:
    """The bounds of engine/canonical/few_texts.pxd and routes.pyx: beyond them, tokens are judged in another way."""
    grammar = ff.compile_choice(sentences, any_tok)
    sequences = {tuple(any_tok.encode(sentence)) for sentence in sentences}
    assert compare(any_tok, grammar.matcher(canonical=True), sequences, Random(1)) > len(sentences)


@pytest.mark.parametrize("items", [["order", "orders", "12", "123"], ["a", "ab", "b", "1"]], ids=["words", "letters"])
@pytest.mark.parametrize("least", [0, 3])
def test_masks_where_items_differ(any_tok: ff.Tokenizer, items: list[str], least: int) -> None:
    """Some answers depend on the items so far. What is kept for one text must not be used for another one."""
    schema = {"type": "array", "items": {"enum": items}, "uniqueItems": True, "minItems": least}
    lists = [some for count in range(least, len(items) + 1) for some in permutations(items, count)]
    sequences = {tuple(any_tok.encode(json.dumps(some, separators=(",", ":")))) for some in lists}
    grammar = ff.compile_json_schema(schema, any_tok, whitespace="compact")
    assert compare(any_tok, grammar.matcher(canonical=True), sequences, Random(1)) > len(sequences)


GRAMMARS = {
    "json": {"properties": {"name": {"type": "string"}, "tags": {"type": "array"}}, "required": ["name"]},
    "short strings": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 9}, "maxProperties": 3},
    "unique": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 4},
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_walks_are_their_own_encoding(tok: ff.Tokenizer, name: str, covered: Callable[[str], None]) -> None:
    random = Random(3)
    grammar = ff.compile_json_schema(GRAMMARS[name], tok)
    walks = steps = 0
    for _ in range(3 if name == "unique" else 6):
        matcher = grammar.matcher(canonical=True)
        while not matcher.is_accepting() or len(matcher.text_bytes) < 4:
            following = sorted(allowed(matcher) - set(tok.eos_token_ids))
            assert following, matcher.text_bytes
            if matcher.num_steps > 25:
                # bring it to an end
                some = [*following[:300], *random.sample(following, min(300, len(following)))]
                following = [min(some, key=lambda token, at=matcher: _distance(at, token))]  # type: ignore[misc]
            # often one of the first: these are the short ones, and the ones that cut characters
            token = random.choice(following[:300] if random.random() < 0.4 else following)
            assert matcher.accept_token(token)
            steps += 1
        ids = matcher.tokens()
        assert tok.encode(tok.decode(ids)) == ids  # type: ignore[arg-type]
        walks += 1
    covered(f"{tok.name}, {name}: {walks} walks of {steps} tokens")


def _array_with(characters: str, most: int, **more: Any) -> Any:
    """The schema of arrays of which at least one string and at most `most` have each of the characters."""
    contains = [{"contains": {"type": "string", "pattern": one}, "maxContains": most} for one in characters]
    return {"type": "array", "allOf": contains, **more}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, '["ab", "a'),
        ({"type": "array", "items": {"enum": ["ab", "abc", "b"]}, "uniqueItems": True}, '["ab", "'),
        ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "minItems": 3}, "[1, 12,"),
        ({"type": "string", "maxLength": 3}, '"a'),
        ({"properties": {"orderId": {}, "orderName": {}}, "additionalProperties": False}, '{"'),
        ({"type": "string", "pattern": "^[\u4e00-\u9fff\U0001f600-\U0001f64f]{1,4}$"}, '"\u4e2d'),
        ({"type": "number", "multipleOf": 0.25}, "12"),
        (_array_with("abcd", 1, maxItems=2), '["ab", "c'),
        (_array_with("abcdef", 9), '["abcde'),
        (True, '{"a": [null, "x  '),
    ],
)
def test_masks_are_what_is_accepted(cl100k: ff.Tokenizer, schema: Any, text: str) -> None:
    """Tokens are accepted by a search of their own, each by itself."""
    matcher = ff.compile_json_schema(schema, cl100k).matcher(canonical=True)
    ids = cl100k.encode(text)
    assert matcher.accept_tokens(ids) == len(ids)
    plain = ff.compile_json_schema(schema, cl100k).matcher()
    plain.accept_tokens(ids)
    accepted = set()
    for token in plain.allowed_token_ids().tolist():
        if matcher.accept_token(token):
            accepted.add(token)
            matcher.rollback(1)
    assert allowed(matcher) == accepted and accepted


# Strings that are bounded, patterns, keys that others exclude, escapes, characters of several bytes, closed values.
WALKED: list[tuple[Any, str]] = [
    ({"properties": {"a": {"type": "string", "maxLength": 30}, "bb": {"type": "string", "minLength": 2}}}, '{"a": "x'),
    ({"properties": {"a": {"type": "string", "maxLength": 30}, "bb": {}}}, '{"a":"I\'m caf\u00e9","bb":1,"c d":"\\\\n'),
    (
        {"patternProperties": {"^[a-z]+(-[a-z]+)*$": {"pattern": "^.{2,9}$"}}, "additionalProperties": False},
        '{"ab-c":"q!',
    ),
    (
        {"properties": {"order": {"const": "order"}, "orders": {"enum": [1, 12, "1"]}}, "required": ["order"]},
        '{"orders": 1',
    ),
    ({"type": "array", "items": {"type": ["string", "null"], "format": "date"}}, '[null, "2024-0'),
    ({"type": "string"}, '"\u4e2d\u6587 \U0001f642\\u00e'),
    (
        {
            "type": "array",
            "uniqueItems": True,
            "items": {"properties": {"a": {"type": "array", "uniqueItems": True}, "b": {"enum": ["z", "zz"]}}},
        },
        '[{"a":["x","y"],"b":"z"},{"a":["x"],"b":"zz"},{"a":["x",[],[1,"x"]],"b":"z',
    ),
    # strings that must differ, and that a repeated letter can make differ; and strings that must be equal
    (
        {
            "patternProperties": {"^[a-z]{2}(-[a-z0-9]+)?$": {"$ref": "#"}, "^[0-9]+x$": {"type": "string"}},
            "additionalProperties": False,
            "minProperties": 1,
        },
        '{"en":{"en-us":{"12x":"a"},"en-ab":{"1x":""}},"12x":"","fr-9',
    ),
    (
        {
            "type": "array",
            "uniqueItems": True,
            "items": {"anyOf": [{"enum": ["serif", "a"]}, {"type": "string", "pattern": "^[A-Z][A-Za-z -]+$"}]},
        },
        '["Arial","serif","Ar',
    ),
    ({"type": "array", "items": {"pattern": "^([a-z0-9]|-[a-z]){1,9}$"}, "uniqueItems": True}, '["ab-c","ab-'),
    (
        {"type": "array", "items": {"pattern": "^[a-z]+$"}, "not": {"uniqueItems": True}, "maxItems": 3},
        '["ab","abc","a',
    ),
    ({"type": "array", "items": {"pattern": "^a+$"}, "uniqueItems": True, "maxItems": 3}, '["a","aaa","aa'),
    # lexemes that are read beside others
    (_array_with("abcde ", 1, maxItems=2), '["ab c","de'),
    (_array_with("abc,\u00e9 ", 9), '["a, b caf\u00e9","'),
    ({"type": "object", "patternProperties": {c: {"type": "integer"} for c in ("a", "b ", '"')}}, '{"b a": 1, "x": "'),
    # many tokens lead to few places, where the same tokens can follow most of them
    ({"type": "string", "pattern": "^[0-9]{16}$"}, '"4111111'),
    ({"type": "string", "pattern": "^[0-9A-Za-z]{8}(-[0-9A-Za-z]{4}){3}-[0-9A-Za-z]{12}$"}, '"0f8fad5b-d9'),
]


@pytest.mark.parametrize("number", range(len(WALKED)))
def test_masks_are_what_is_accepted_along_a_text(
    any_tok: ff.Tokenizer, number: int, covered: Callable[[str], None]
) -> None:
    random = Random(number)
    schema, text = WALKED[number]
    # (a mask of "two items must be equal" looks for a sentence after each of thousands of tokens, mostly in vain, and
    # reaches the default bound)
    limits = ff.Limits(mask_work=0) if number == 10 else ff.Limits()
    compiled = ff.compile_json_schema(schema, any_tok, whitespace=random.choice(["flexible", "compact"]), limits=limits)
    if compiled.matcher().accept_bytes(text.encode()) < len(text.encode()):
        compiled = ff.compile_json_schema(schema, any_tok, limits=limits)
    asked, refused = check_along(any_tok, compiled, any_tok.encode(text), random)
    assert asked
    covered(f"{any_tok.name}: {asked} tokens, {refused} refused")


def _distance(matcher: ff.Matcher, token: int) -> int:
    assert matcher.accept_token(token)
    found = matcher.distance()
    matcher.rollback(1)
    return found


@pytest.mark.parametrize("form", [spaced, compact])
def test_documents_may_be_written_as_they_are_encoded(
    tok: ff.Tokenizer, shared_dir: Path, form: Callable[[Any], str], covered: Callable[[str], None]
) -> None:
    masks = documents = 0
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    for schema in load_schemas(shared_dir / "maskbench" / "dev.jsonl.gz")[::150]:
        try:
            grammar = ff.compile_json_schema(schema.schema, tok)
        except ff.FFGrammarError:
            continue
        for instance in [one for one in schema.instances if one.valid][:2]:
            ids = tok.encode(form(instance.data))
            if len(ids) > 200 or grammar.matcher().accept_tokens(ids) < len(ids):
                continue
            matcher = grammar.matcher(canonical=True)
            for token in ids:
                matcher.fill_bitmask(bitmask)
                assert bitmask[0, token >> 5] >> (token & 31) & 1, (schema.id, matcher.text_bytes, token)
                assert matcher.accept_token(token)
                masks += 1
            assert matcher.is_accepting()
            documents += 1
    assert documents > 4
    covered(f"{tok.name}, {form.__name__}: {masks} masks in {documents} documents")


def test_drafts_and_batches(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema({"properties": {"orderId": {"type": "integer"}}}, cl100k)
    ids = cl100k.encode('{"orderId": 12}')
    matcher = grammar.matcher(canonical=True)
    bitmask = ff.allocate_bitmask(len(ids) + 2, cl100k.vocab_size)
    assert matcher.fill_draft_bitmasks(ids, bitmask) == len(ids)
    rows = bitmask.copy()
    for row, token in enumerate(ids):
        one = ff.allocate_bitmask(1, cl100k.vocab_size)
        matcher.fill_bitmask(one)
        assert (one[0] == rows[row]).all()
        assert matcher.accept_token(token)
    split = [*cl100k.encode('{"'), *cl100k.encode("order"), *cl100k.encode("Id")]
    matcher.reset()
    assert matcher.fill_draft_bitmasks([*split, -1], bitmask) == 2 and (bitmask[3:5] == -1).all()
    assert matcher.validate_tokens(split) == 2 and matcher.num_steps == 0
    plain = grammar.matcher()
    ready: Any = grammar.matcher(prompt="x")
    others = [plain, matcher, ready, plain.fork(), matcher.fork()]
    batch = ff.allocate_bitmask(len(others), cl100k.vocab_size)
    ff.fill_bitmask(others, batch)
    for row, one in enumerate(others):
        alone = ff.allocate_bitmask(1, cl100k.vocab_size)
        one.fill_bitmask(alone)
        assert (alone[0] == batch[row]).all()
    drafts = [split, split, [], ids, ids]
    batch = ff.allocate_bitmask(sum(len(draft) + 1 for draft in drafts), cl100k.vocab_size)
    counts = ff.fill_draft_bitmasks(others, drafts, batch)
    assert counts == [3, 2, 0, len(ids), len(ids)]
    row = 0
    for one, draft, count in zip(others, drafts, counts, strict=True):
        alone = ff.allocate_bitmask(len(draft) + 1, cl100k.vocab_size)
        assert one.fill_draft_bitmasks(draft, alone) == count
        assert (alone == batch[row : row + len(draft) + 1]).all()
        row += len(draft) + 1


def test_caches_do_not_matter(cl100k: ff.Tokenizer) -> None:
    schema = {"properties": {"orderId": {"type": "string", "maxLength": 30}}}
    small = ff.Limits(cache_bytes=1 << 16, mask_bytes=1 << 15, row_bytes=1 << 14, dfa_states=200)
    one = ff.compile_json_schema(schema, cl100k).matcher(canonical=True)
    other = ff.compile_json_schema(schema, cl100k, limits=small).matcher(canonical=True)
    for token in cl100k.encode('{"orderId": "a b  c \\" 123", "x": [1, "y", {"z": null}]}'):
        assert allowed(one) == allowed(other)
        assert one.accept_token(token) and other.accept_token(token)
    assert one.is_accepting() and other.is_accepting()


def test_plain_masks_that_were_made_before_do_not_matter(any_tok: ff.Tokenizer) -> None:
    """If a plain mask is known and has few tokens, dead ends are found in another way than if it is made with leads."""
    schema = {
        "properties": {
            "order": {"enum": ["new", "news", "newest", 'a"b', "\u00e9t\u00e9", "\u65e5\u672c"]},
            "orders": {"type": "array", "items": {"enum": [1, 12, 123, True, None, "true"]}},
            "ordered at": {"type": "string", "pattern": "^[0-9]{2}:[0-9]{2}$"},
        },
        "additionalProperties": False,
    }
    for options in ({}, {"whitespace": "compact"}):
        one, other = (ff.compile_json_schema({**schema, "$comment": it}, any_tok, **options) for it in ("one", "other"))
        random = Random(4)
        for _ in range(12):
            plain, after, alone = one.matcher(), one.matcher(canonical=True), other.matcher(canonical=True)
            for _ in range(40):
                allowed(plain)
                found = after.allowed_token_ids()
                assert np.array_equal(found, alone.allowed_token_ids())
                if not len(found) or not after.accept_token(token := int(random.choice(found))):
                    break
                assert plain.accept_token(token) and alone.accept_token(token)


def test_what_a_token_leads_to_depends_on_what_came_before(tmp_path: Path) -> None:
    """After one digit, 23 completes a pre-token. At the beginning it does not."""
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    vocab = {text: token for token, text in enumerate([*bytes_, *map(chr, range(32, 127)), "23", "234", "<e>"])}
    tokenizer = {
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": "[0-9]{1,3}"},
            "behavior": "Isolated",
            "invert": False,
        },
        "model": {"type": "BPE", "vocab": vocab, "merges": [["2", "3"], ["23", "4"]], "byte_fallback": True},
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
        "added_tokens": [{"id": vocab["<e>"], "content": "<e>", "special": True}],
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    tok = ff.Tokenizer.from_file(str(tmp_path / "tokenizer.json"), eos_token_ids=[vocab["<e>"]])
    assert tok.canon, tok.canon_reason
    for text in ("1234", "2341", "12341"):
        matcher = ff.compile_choice([text], tok).matcher(canonical=True)
        for token in [*tok.encode(text), vocab["<e>"]]:
            assert allowed(matcher) == {token} and matcher.accept_token(token)


def test_masks_of_grammars_in_turns(any_tok: ff.Tokenizer) -> None:
    """While a mask is made, it takes arrays that the last mask of another grammar may have used."""
    string = {"type": "string", "maxLength": 12}
    schemas = [
        {"properties": {"order": string, "orders": {"enum": ["new", "news", 12]}}, "maxProperties": 2},
        {"type": "array", "items": {"type": "string", "pattern": "^([a-z]+ ){0,3}[a-z]*$"}, "maxItems": 3},
        {"type": "array", "items": {"enum": ["a", "ab", 1, 11, True]}, "uniqueItems": True},
    ]
    walks: list[list[tuple[set[int], int]]] = []
    random = Random(7)
    for schema in schemas:
        matcher = ff.compile_json_schema(schema, any_tok).matcher(canonical=True)
        walks.append([])
        for _ in range(60):
            if not (found := allowed(matcher)):
                break
            walks[-1].append((found, random.choice(sorted(found))))
            assert matcher.accept_token(walks[-1][-1][1])
    matchers = [ff.compile_json_schema({**it, "title": "other"}, any_tok).matcher(canonical=True) for it in schemas]
    for steps in zip_longest(*walks):
        for matcher, step in zip(matchers, steps, strict=True):
            if step:
                assert allowed(matcher) == step[0] and matcher.accept_token(step[1])


def test_masks_that_are_made_with_leads_keep_to_their_budget(cl100k: ff.Tokenizer) -> None:
    """A canonical matcher makes the plain masks itself, and no plain matcher is there to drop them."""
    schema = {"properties": {"orderId": {"type": "string", "maxLength": 30}}}
    grammar = ff.compile_json_schema(schema, cl100k, limits=ff.Limits(mask_bytes=1 << 15))
    matcher = grammar.matcher(canonical=True)
    for token in cl100k.encode('{"orderId": "a b  c \\" 123", "x": [1, "y", {"z": null}], "v": "w", "w": ["s", "t"]}'):
        allowed(matcher)
        assert matcher.accept_token(token)
        stats = grammar.stats()
        assert stats["mask_bytes"] < (1 << 15) + 40_000
    assert stats["mask_drops"] > 0


def test_bytes_count_as_the_tokens_that_they_alone_give(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_choice(["orderId and orderName"], cl100k)
    whole = grammar.matcher(canonical=True)
    assert whole.accept_bytes(b"orderId and") == 11
    single = grammar.matcher(canonical=True)
    for byte in b"orderId and":
        assert single.accept_bytes(bytes([byte])) == 1
        allowed(single)
    assert allowed(whole) == allowed(single) == {cl100k.encode(" order")[0]}
    single.rollback(4)
    assert single.accept_bytes(b" and") == 4 and allowed(single) == allowed(whole)


def test_tokens_of_a_prompt_are_cut_back_too(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema({"type": "object"}, cl100k, whitespace="compact")
    eos = cl100k.eos_token_ids[0]
    for prompt in ("Answer: ", 'say "', " [", "Answer:", "don"):
        text: Any = grammar.matcher(canonical=True, prompt=prompt)
        for before in ([], [eos], [*cl100k.encode("x"), eos]):
            ids: Any = grammar.matcher(canonical=True, prompt=np.array(before + cl100k.encode(prompt)))
            assert ids.prompt_tokens == (*before, *text.prompt_tokens) and ids.prompt_rest == text.prompt_rest
            assert type(ids.prompt_tokens[-1] if ids.prompt_tokens else 0) is int
            assert allowed(ids) == allowed(text) and allowed(text)
    # a prompt that is not canonical stays as it is, and the canonical mask allows the token that is forced after it
    odd = cl100k.encode("Hel") + cl100k.encode("lo") + cl100k.encode(" ")
    matcher: Any = grammar.matcher(canonical=True, prompt=odd)
    assert matcher.prompt_tokens == tuple(odd) and allowed(matcher) >= set(matcher.forced_tokens()[:1])
    healed = ff.heal(cl100k, [eos, *cl100k.encode('{"user":')], grammar)
    assert healed.tokens == (eos, *cl100k.encode('{"user')) and healed.taken_back == tuple(cl100k.encode('":'))


@pytest.mark.parametrize("part", ["a", " ", "\n", "\u4e2d"])
def test_long_prompts_of_one_pretoken(cl100k: ff.Tokenizer, part: str) -> None:
    limits = ff.Limits(forced_bytes=4)
    grammar = ff.compile_regex("(?s:.*)", cl100k, limits=limits)
    start = time.process_time()
    matcher: Any = grammar.matcher(canonical=True, prompt=part * 20_000)
    assert time.process_time() - start < 5
    assert cl100k.decode(matcher.prompt_tokens) + matcher.prompt_rest == part.encode() * 20_000
    assert len(matcher.prompt_rest) < 700 and allowed(matcher)


@pytest.mark.parametrize("kind", ["llama 2", "whole text"])
def test_tokenizers_without_pretokens_under_checks(kind: str) -> None:
    """A pre-token ends only where the text ends, and the result of a check is not kept. So searches are cut short."""
    pytest.importorskip("tokenizers")
    from oracle.trained import make

    tok = make(kind)[1]
    for schema, text in (
        ({"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 2}, '{"a'),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 2}, '["a'),
    ):
        matcher = ff.compile_json_schema(schema, tok).matcher(canonical=True)
        start = time.process_time()
        assert matcher.accept_tokens(tok.encode(text)) == len(tok.encode(text))
        found = allowed(matcher)
        assert found and time.process_time() - start < 10
        for token in found:
            assert matcher.accept_token(token)
            matcher.rollback(1)


def _one_pretoken(cl100k: ff.Tokenizer) -> ff.Tokenizer:
    """A large vocabulary without a pre-tokenizer."""
    size = 15_000
    ranks = {cl100k.token_bytes(token): token for token in range(size)}
    encoding = tiktoken.Encoding("whole", pat_str=r"(?:\s|\S)+", mergeable_ranks=ranks, special_tokens={"<e>": size})
    return ff.Tokenizer.from_tiktoken(encoding, eos_token_ids=[size])


@pytest.mark.parametrize("name", ["cl100k_base", "one pre-token"])
def test_strings_with_bounds(cl100k: ff.Tokenizer, name: str) -> None:
    """Masks that are found from a string without bounds are equal to those that are found without it."""
    tok, other = (
        _one_pretoken(cl100k) if name == "one pre-token" else ff.Tokenizer.from_tiktoken(name) for _ in range(2)
    )
    other.partition_bytes = 0
    names = {f"{one}name{two}": {"maxLength": 70} for one in "ab" for two in "cd"}
    for schema in (
        {"type": "string", "maxLength": 60},
        {"type": "string", "minLength": 3, "maxLength": 45},
        {"type": "string", "minLength": 30},
        {"type": "array", "items": {"type": "string", "maxLength": 40}},
        {"type": "object", "properties": names, "additionalProperties": {"type": "string", "maxLength": 33}},
        {"type": "string", "not": {"enum": ["a", "to", "name"]}},
    ):
        for options in ({}, {"whitespace": "compact"}):
            matcher, same = (
                ff.compile_json_schema(schema, one, **options).matcher(canonical=True) for one in (tok, other)
            )
            random = Random(len(str(schema)))
            for _ in range(40):
                # (arrays: sets of so many tokens take longer than the masks)
                found = matcher.allowed_token_ids()
                assert np.array_equal(found, same.allowed_token_ids())
                if not len(found) or not matcher.accept_token(token := int(random.choice(found))):
                    break
                assert same.accept_token(token)


def _triples(characters: str, first: str) -> list[tuple[str, str]]:
    """Merges of all triples of some characters. The pairs that begin with `first` are merged before all others, so that
    none of these characters can follow a token of two characters that ends in `first`, unless both are `first`."""
    pairs = [(one, two) for one in characters for two in characters]
    Random(first).shuffle(pairs)
    pairs.sort(key=lambda pair: pair[0] != first)
    return pairs + [(one + two, three) for one, two in pairs for three in characters]


def _with_triples(path: Path, letters: str) -> ff.Tokenizer:
    """A vocabulary without a pre-tokenizer, with all numbers of three digits, and all triples of some letters."""
    merges = _triples("0123456789", "7") + _triples(letters, "e")
    parts = [*map(chr, range(33, 127)), "\u2581", *map("".join, merges), "<e>"]
    vocab = {text: token for token, text in enumerate([*(f"<0x{byte:02X}>" for byte in range(256)), *parts])}
    space = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
    back = {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}
    tokenizer = {
        "normalizer": space,
        "model": {"type": "BPE", "vocab": vocab, "merges": merges, "byte_fallback": True},
        "decoder": {"type": "Sequence", "decoders": [back, {"type": "ByteFallback"}, {"type": "Fuse"}]},
        "added_tokens": [{"id": vocab["<e>"], "content": "<e>", "special": True}],
    }
    path.write_text(json.dumps(tokenizer))
    return ff.Tokenizer.from_file(str(path), eos_token_ids=[vocab["<e>"]])


NUMBERS = ["[0-9]{16}", "[0-9]{5}", "[0-9]{3}(-[0-9]{4}){2}", "[0-9]{2,7}"]
LETTERS = ["[0-9a-f]{8}-[0-9a-f]{4}", "[a-m]{9}"]


# With letters up to p there are more tokens than are listed for an outcome (tokens/canonical/transitions.pxd).
@pytest.mark.parametrize("letters", ["abcdefghijklm", "abcdefghijklmnop"], ids=["listed", "not listed"])
@pytest.mark.parametrize("pattern", NUMBERS + LETTERS)
def test_many_tokens_of_one_place(tmp_path: Path, pattern: str, letters: str) -> None:
    """What follows one token is tried after the others, and is no proof for those that it cannot follow."""
    tok = _with_triples(tmp_path / "tokenizer.json", letters)
    grammar = ff.compile_json_schema({"type": "string", "pattern": f"^{pattern}$"}, tok)
    random = Random(pattern)
    refused = 0
    for _ in range(3):
        walker = grammar.matcher(canonical=True)
        tokens = []
        while not tokens or tokens[-1] not in tok.eos_token_ids:
            tokens.append(random.choice(sorted(allowed(walker))))
            assert walker.accept_token(tokens[-1])
        refused += check_along(tok, grammar, tokens, random, most=1000)[1]
    assert refused


SHORT = {"type": "string", "pattern": "^[a-p]{1,3}$"}
UNIQUE = {"type": "array", "uniqueItems": True}
OBJECT = {"type": "object", "properties": {"a": SHORT}, "required": ["a"]}
KEYS = {"type": "object", "patternProperties": {"^[a-p]{2,4}$": {"type": "null"}}, "additionalProperties": False}
DIFFERENT = [
    (UNIQUE | {"items": SHORT}, ['["abd","pon","abd"]', '["a","ab","abd"]', '["p","po","po"]']),
    (UNIQUE | {"items": SHORT | {"pattern": "^[a-p]{3}$"}}, ['["abd","abd"]', '["pon","aba","pon"]']),
    (UNIQUE | {"items": OBJECT}, ['[{"a":"pon"},{"a":"pon"}]']),
    # the second string is equal to one of those that may come first
    (
        UNIQUE | {"prefixItems": [SHORT, {"const": "pon"}], "items": False, "minItems": 2},
        ['["pon","pon"]', '["abd","pon"]'],
    ),
    (KEYS | {"minProperties": 2}, ['{"pon":null,"pon":null}', '{"abd":null,"abdo":null,"ab":null}']),
    # escapes are other spellings of the same string
    (
        UNIQUE | {"items": {"type": "string", "maxLength": 4}},
        ['["abc","ab\\u0063"]', '["a\\"c","a\\\\"]', '["\\u0061b","abc"]'],
    ),
]


@pytest.mark.parametrize("schema, texts", DIFFERENT)
def test_strings_that_must_differ(tmp_path: Path, schema: dict[str, object], texts: list[str]) -> None:
    """Many tokens lead to a string that is unlike all others, and few to one that may still be equal."""
    tok = _with_triples(tmp_path / "tokenizer.json", "abcdefghijklmnop")
    refused = 0
    for text in texts:
        for whitespace in ("flexible", "compact"):
            grammar = ff.compile_json_schema(schema, tok, whitespace=whitespace)
            refused += check_along(tok, grammar, tok.encode(text), Random(text), most=6000)[1]
    assert refused


def test_many_bytes_of_a_prompt_are_pending() -> None:
    """A later b would make one pre-token of all these letters. Inside them, a configuration has no lexer state."""
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"aa": 256}
    encoding = tiktoken.Encoding("pairs", pat_str="a+b|a|[^a]", mergeable_ranks=ranks, special_tokens={"<e>": 257})
    tok = ff.Tokenizer.from_tiktoken(encoding, eos_token_ids=[257])
    matcher = ff.compile_regex("(x|b)", tok).matcher(canonical=True, prompt="a" * 5000)
    assert len(matcher.prompt_rest) > 1000
    assert allowed(matcher) == {ranks[b"a"], ranks[b"aa"]}


def test_forced_tokens_may_come(cl100k: ff.Tokenizer) -> None:
    schema = {"properties": {"name": {}}, "required": ["name"], "additionalProperties": False}
    matcher = ff.compile_json_schema({"type": "object", **schema}, cl100k).matcher(canonical=True)
    for data in (b'{"na', b'{"n', b'{"', b"{", b'{"name'):
        matcher.reset()
        assert matcher.accept_bytes(data) == len(data)
        forced = matcher.forced_tokens()
        assert forced[:1] == [] or set(forced[:1]) == allowed(matcher)
        assert allowed(matcher) and matcher.accept_tokens(forced) == len(forced)


def test_threads_get_the_same_rules() -> None:
    """What is kept for a grammar belongs to one rules object."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    grammar = ff.compile_json_schema({"type": "object"}, tok)
    matchers: list[ff.Matcher] = []
    barrier = Barrier(4)

    def work() -> None:
        barrier.wait()
        matchers.append(grammar.matcher(canonical=True))

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for matcher, text in zip(matchers, ("\n", "\t ", "  ", "{"), strict=True):
        matcher.allowed_token_ids()
        matcher.accept_token(tok.encode(text)[0])
        assert all(matcher.validate_tokens([token]) == 1 for token in matcher.allowed_token_ids().tolist())


def test_end_of_text(cl100k: ff.Tokenizer) -> None:
    eos = cl100k.eos_token_ids[0]
    matcher = ff.compile_choice(["a  b", "a "], cl100k).matcher(canonical=True)
    assert matcher.accept_tokens(cl100k.encode("a ")) == 2
    assert allowed(matcher) == {eos, *cl100k.encode(" b")} and matcher.accept_token(eos)
    assert matcher.is_terminated() and not allowed(matcher) and not matcher.accept_token(eos)
    matcher.rollback(1)
    assert allowed(matcher) == {eos, *cl100k.encode(" b")}
    assert not np.any(ff.allocate_bitmask(1, cl100k.vocab_size) == 0)


def test_several_tokens_do_not_begin_what_one_token_must_spell() -> None:
    """Merges do not make `abc`, but a whole pre-token `abc` is that token. So `b` is a dead end after `a`."""
    ranks = {bytes([value]): value for value in range(256)} | {b"abc": 256}
    encoding = tiktoken.Encoding(
        "small", pat_str=r"\p{L}+|[^\p{L}]+", mergeable_ranks=ranks, special_tokens={"<e>": 257}
    )
    tok = ff.Tokenizer.from_tiktoken(encoding, eos_token_ids=[257])
    matcher = ff.compile_regex("(abc|axx)!", tok).matcher(canonical=True)
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    for token, expected in ((ord("a"), {ord("x")}), (ord("x"), {ord("x")}), (ord("x"), {ord("!")})):
        assert matcher.accept_token(token)
        matcher.fill_bitmask(bitmask)
        assert {one for one in range(tok.vocab_size) if bitmask[0, one >> 5] >> (one & 31) & 1} == expected


def test_errors(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_choice(["a"], cl100k)
    with pytest.raises(ff.TokenizerError, match="no UTF-8 text begins so"):
        grammar.matcher(prompt=b"\xff")
    with pytest.raises(ff.TokenizerError, match="no sentence of the grammar"):
        ff.compile_regex("[a-z]*", cl100k).matcher(prompt=b"\xe4\xb8")
    with pytest.raises(ff.TokenizerError, match="out of range"):
        grammar.matcher(prompt=[1 << 30])
    for prompt in (5, [None]):
        with pytest.raises((ff.TokenizerError, TypeError)):
            grammar.matcher(prompt=prompt)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        grammar.matcher(canonical=True).accept_bytes("a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a Grammar"):
        ff.heal(cl100k, "a", {})  # type: ignore[arg-type]
    other = ff.Tokenizer.from_tokens([b"a"], eos_token_id=1, vocab_size=2)
    with pytest.raises(ff.TokenizerError, match="another vocabulary"):
        ff.heal(cl100k, "a", ff.compile_choice(["a"], other))
    with pytest.raises(ff.TokenizerError, match="another vocabulary"):
        ff.CharacterPrefix(cl100k, "a", ff.compile_choice(["a"], other).matcher())
    with pytest.raises(ff.TokenizerError, match="expected str or bytes"):
        cl100k.coverings(5)  # type: ignore[arg-type]
    with pytest.raises(ff.TokenizerError, match="is not in 0"):
        grammar.matcher(canonical=True).accept_token(-1)
    with pytest.raises(ff.MatcherError, match="words"):
        grammar.matcher(canonical=True).fill_bitmask(np.zeros((1, 1), dtype=np.int32))
    toy = ff.Tokenizer.from_tokens([b"a"], eos_token_id=1, vocab_size=2)
    with pytest.raises(ff.TokenizerError, match="canonical tokens"):
        ff.compile_choice(["a"], toy).matcher(canonical=True)


def test_where_many_characters_may_come_and_no_pretoken_ends(tmp_path: Path) -> None:
    """Merges join `q` with each letter that may follow, so it is no token of its own there. But `z` stays apart."""
    letters = [chr(code) for code in [*range(0x41, 0x5B), *range(0x61, 0x7B)]]
    pieces = [*(f"<0x{byte:02X}>" for byte in range(256)), *letters, "0", *(f"q{letter}" for letter in letters)]
    model = {
        "type": "BPE",
        "vocab": {piece: number for number, piece in enumerate(["<unk>", "</s>", *pieces])},
        "merges": [["q", letter] for letter in letters],
        "unk_token": "<unk>",
        "byte_fallback": True,
    }
    path = tmp_path / "tokenizer.json"
    end = {"id": 1, "content": "</s>", "special": True}
    path.write_text(json.dumps({"version": "1.0", "added_tokens": [end], "model": model, "decoder": {"type": "Fuse"}}))
    tok = ff.Tokenizer.from_file(str(path), eos_token_ids=[1])
    for pattern, alone in (
        ("[qz][a-pr-zA-Z]{3}0", False),
        ("[qz][a-pr-zA-Z]", False),
        ("[qz]([a-pr-zA-Z]|0)", True),
        ("[qz]([a-pr-zA-Z]{2}){2,3}", False),
    ):
        matcher = ff.compile_regex(pattern, tok).matcher(canonical=True)
        seen = {tok.token_bytes(token) for token in matcher.allowed_token_ids()}
        assert (b"z" in seen, b"q" in seen) == (True, alone), pattern
