"""Canonical masks inside strings that must differ from others, where very many tokens go on with the string.

The vocabulary is merged by characters, and pre-tokens do not end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from oracle.languages import allowed

LETTERS = "abcdefgh"


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> ff.Tokenizer:
    """A tokenizer that is trained on JSON with strings of few characters, so nearly all tokens can come in them."""
    tokenizers = pytest.importorskip("tokenizers")
    random = Random(1)

    def string() -> str:
        return "".join(random.choices(f"{LETTERS}x-9", k=random.randrange(1, 9)))

    shapes = ['["%s","%s"]', '{"%s":{"%s":1}}', '"%s", "%s"', "%s %s"]
    texts = ["".join(random.choice(shapes) % (string(), string()) for _ in range(40)) for _ in range(1500)]
    trained = tokenizers.Tokenizer(tokenizers.models.BPE(byte_fallback=True))
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=14000,
        special_tokens=[f"<0x{value:02X}>" for value in range(256)],
        initial_alphabet=[chr(code) for code in range(0x20, 0x7F)],
        show_progress=False,
    )
    trained.train_from_iterator(texts, trainer)
    decoders = tokenizers.decoders
    trained.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    config = json.loads(trained.to_str())
    config["added_tokens"] = []
    path: Path = tmp_path_factory.mktemp("letters") / "tokenizer.json"
    path.write_text(json.dumps(config))
    return ff.Tokenizer.from_file(path, eos_token_ids=[0])


def _strings(pattern: str, **more: Any) -> Any:
    return {"type": "array", "items": {"type": "string", "pattern": pattern}, **more}


PLACES: list[tuple[Any, str]] = [
    (_strings("^[a-h]+$", uniqueItems=True), '["ab","abc'),
    (_strings("^[a-h]+$", uniqueItems=True, maxItems=3), '["ab","abc","dd'),
    (_strings("^[a-h]{1,5}$", uniqueItems=True), '["ab","abc'),
    (_strings("^[a-h]+x$", uniqueItems=True, minItems=2), '["abx","ab'),
    (_strings("^[a-h]+$", maxItems=3, **{"not": {"uniqueItems": True}}), '["ab","abc","ab'),
    (_strings("^([a-h]{3})+$", uniqueItems=True), '["abc","abcabc","abc'),
    (
        {"type": "object", "patternProperties": {"^[a-h]+$": {"const": ""}}, "additionalProperties": False},
        '{"ab":"","abc":"","abcd',
    ),
]


@pytest.mark.parametrize("number", range(len(PLACES)))
def test_masks_are_what_is_accepted_and_what_is_written(
    letters: ff.Tokenizer, number: int, covered: Callable[[str], None]
) -> None:
    """On virtual rows, what accepts a token does not use the masks.

    For each token that is allowed, a text is found that begins so.
    """
    random = Random(number)
    schema, text = PLACES[number]
    grammar = ff.compile_json_schema(schema, letters, whitespace="compact")
    plain, canonical, other = grammar.matcher(), grammar.matcher(canonical=True), grammar.matcher(canonical=True)
    asked = refused = 0
    for next_token in letters.encode(text):
        mask = allowed(canonical)
        wanted = sorted(allowed(plain))
        assert mask <= set(wanted)
        for token in random.sample(wanted, min(len(wanted), 250)):
            accepted = other.accept_token(token)
            assert accepted == (token in mask), letters.token_bytes(token)
            asked += 1
            refused += not accepted
            if accepted:
                # (where two items must be equal, a warning says that some texts cannot go on)
                ids = [*canonical.tokens(), token]
                assert grammar.warnings or _goes_on(letters, grammar, ids, random), letters.token_bytes(token)
                other.rollback(1)
        assert canonical.accept_token(next_token) and plain.accept_token(next_token) and other.accept_token(next_token)
    assert refused
    covered(f"{asked} tokens, {refused} refused")


def test_a_string_that_can_only_be_an_earlier_one(letters: ff.Tokenizer) -> None:
    """Nothing can repeat after these tokens, so what holds for one of them need not hold for another."""
    fours = [token for token in range(letters.vocab_size) if re.fullmatch(f"[{LETTERS}]{{4}}", _text(letters, token))]
    assert len(fours) > 1024
    schema = _strings(f"^[{LETTERS}]{{4}}x$", uniqueItems=True)
    matcher = ff.compile_json_schema(schema, letters, whitespace="compact").matcher(canonical=True)
    used = [token for token in fours if letters.encode(f'["{_text(letters, token)}x"')[1:2] == [token]][:2]
    text = "[" + "".join(f'"{_text(letters, token)}x",' for token in used) + '"'
    for token in letters.encode(text):
        assert matcher.accept_token(token)
    mask = allowed(matcher)
    for token in [*used, *Random(1).sample(fours, 300)]:
        accepted = matcher.accept_token(token)
        assert accepted == (token in mask), letters.token_bytes(token)
        if accepted:
            matcher.rollback(1)
    assert not mask & set(used) and mask & set(fours)


def _text(tok: ff.Tokenizer, token: int) -> str:
    return tok.token_bytes(token).decode("latin-1")


ENDS = ["", "]", "}", *(f"{end}}}" for end in ['":""', ':""', '""', '"', '","gh":""', ',"gh":""', '"gh":""', 'gh":""'])]
ENDS += [f'{text}"]' for text in ["", "x", "b", "bc"]]
ENDS += [f'{before}{text}"]' for before in ['","', ',"', '"', 'x","', ""] for text in ("ab", "abc", "bx", "gx", "eee")]


def _goes_on(tok: ff.Tokenizer, grammar: ff.Grammar, ids: list[int], random: Random) -> bool:
    """Whether some sentence begins with these tokens: after them some letters are tried, and one of ENDS."""
    begun = b"".join(map(tok.token_bytes, ids))
    for number in range(3000):
        letters = "".join(random.choices(LETTERS, k=number and random.randrange(1, 7)))
        again = begun.decode().rpartition('"')[2] + letters
        for end in [*ENDS, f'","{again}"]', f'","{letters}":""}}', '"ab","ab"]', '"abx","bx"]']:
            sentence = begun + f"{letters}{end}".encode()
            if tok.encode(sentence)[: len(ids)] == ids:
                matcher = grammar.matcher()
                if matcher.accept_bytes(sentence) == len(sentence) and matcher.is_accepting():
                    return True
    return False
