"""Pickles of tokenizers and grammars: what comes out is the same, or there is an error that says what is wrong.
Spawned processes get tokenizers and grammars as pickles."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from test_tokens_huggingface import byte_fallback, byte_level, texts

import ffgrammar as ff
from ffgrammar.core.errors import CompiledFileError, FFGrammarError, TokenizerError
from ffgrammar.tokens.tokenizer import Tokenizer

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def again(thing: Any, protocol: int = pickle.HIGHEST_PROTOCOL) -> Any:
    return pickle.loads(pickle.dumps(thing, protocol))


def check_same(one: Tokenizer, other: Tokenizer) -> None:
    """The same vocabulary, and where there are rules the same tokens of texts."""
    assert other is not one and type(other) is type(one)
    assert other.fingerprint == one.fingerprint and other.eos_token_ids == one.eos_token_ids
    assert other.special_tokens == one.special_tokens and other.vocab_size == one.vocab_size
    assert (other.adds_prefix_space, other.strips_first_space) == (one.adds_prefix_space, one.strips_first_space)
    assert other.can_encode == one.can_encode and other.canon_reason == one.canon_reason
    for text in texts(50) if one.can_encode else []:
        assert other.encode(text) == one.encode(text)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A tokenizer.json."""
    path = tmp_path / "tokenizer.json"
    path.write_text(byte_level().to_str())
    return path


def spell(data: bytes) -> list[int]:
    return list(data)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_embedded_encodings(cl100k: Tokenizer, protocol: int) -> None:
    data = pickle.dumps(cl100k, protocol)
    assert len(data) < 1000
    check_same(cl100k, pickle.loads(data))


def test_embedded_encodings_with_options() -> None:
    tok = Tokenizer.from_tiktoken("cl100k_base", eos_token_ids=(100258, 100257), vocab_size=100352)
    tok.partition_bytes, tok.grammar_bytes = 12345, 0
    other = again(tok)
    check_same(tok, other)
    assert (other.partition_bytes, other.grammar_bytes) == (12345, 0)


def test_listed_tokens() -> None:
    tokens = [b"a", b"b", b"ab", None, b"a", b"", b"x" * 300, b"<eos>"]
    tok = Tokenizer.from_tokens(tokens, 7, {"<pad>": 5}, encode=spell, vocab_size=12, name="letters")
    other = again(tok)
    assert other.name == "letters" and other.encode(b"\0\1") == [0, 1]
    assert [other.token_bytes(token) for token in range(12)] == [tok.token_bytes(token) for token in range(12)]
    assert other.fingerprint == tok.fingerprint and other.trie.aliases == tok.trie.aliases
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(Tokenizer.from_tokens([b"a"], encode=lambda data: []))


def test_objects_of_other_packages() -> None:
    check_same(tok := Tokenizer.from_huggingface(byte_level()), again(tok))
    check_same(tok := Tokenizer.from_huggingface(byte_fallback()), again(tok))
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([value]): value for value in range(256)} | {b"ab": 256}
    encoding = tiktoken.Encoding("own", pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 257})
    check_same(tok := Tokenizer.from_tiktoken(encoding), again(tok))


@pytest.mark.parametrize("make", [Tokenizer.from_file, Tokenizer.from_huggingface])
def test_files_are_named(make: Any, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    tok = make("tokenizer.json")
    monkeypatch.chdir("/")
    data = pickle.dumps(tok)
    assert len(data) < 2000
    check_same(tok, pickle.loads(data))


@pytest.mark.parametrize("change", ["vocabulary", "merges", "beside", "gone"])
def test_a_file_that_is_another_one_is_an_error(change: str, file: Path) -> None:
    tok = Tokenizer.from_file(file)
    data = pickle.dumps(tok)
    config = json.loads(file.read_text())
    if change == "vocabulary":
        config["added_tokens"][-1]["content"] = "<thought>"
    if change == "merges":
        config["model"]["merges"].pop()
    if change == "beside":
        (file.parent / "generation_config.json").write_text('{"eos_token_id": 1}')
    file.write_text(json.dumps(config))
    if change == "gone":
        file.unlink()
    with pytest.raises(TokenizerError, match=r"tokenizer\.json is gone or has changed"):
        pickle.loads(data)
    with pytest.raises(TokenizerError, match="cannot be pickled"):
        pickle.dumps(tok)


def test_grammars(cl100k: Tokenizer) -> None:
    for grammar, text in [
        (ff.compile_json_schema(SCHEMA, cl100k), b'{"name": "x"}'),
        (ff.compile_regex("[a-c]+x", cl100k, limits=ff.Limits(dfa_states=77)), b"abcx"),
        (ff.compile_lark('start: "a" "b"+', cl100k), b"abb"),
        (ff.compile_choice(["yes", "no"], cl100k), b"yes"),
    ]:
        other = again(grammar)
        assert (other.kind, other.limits, other.warnings) == (grammar.kind, grammar.limits, grammar.warnings)
        assert other.tokenizer.fingerprint == cl100k.fingerprint
        one, two = grammar.matcher(), other.matcher()
        for byte in text:
            assert (one.allowed_token_ids() == two.allowed_token_ids()).all()
            assert one.accept_bytes(bytes([byte])) and two.accept_bytes(bytes([byte]))
        assert one.is_accepting() and two.is_accepting()


def test_one_pickle_has_one_tokenizer(cl100k: Tokenizer) -> None:
    first, second, tok = again([ff.compile_regex("a", cl100k), ff.compile_regex("b", cl100k), cl100k])
    assert first.tokenizer is second.tokenizer is tok


def test_a_large_grammar_of_a_small_source(cl100k: Tokenizer) -> None:
    limits = ff.Limits(source_bytes=100)
    grammar = ff.compile_choice([f"word{number}" for number in range(12)], cl100k, limits=limits)
    assert again(grammar).matcher().accept_bytes(b"word7")


def test_copies_are_the_same_object(cl100k: Tokenizer) -> None:
    grammar = ff.compile_regex("a", cl100k)
    for thing in (cl100k, grammar):
        assert copy.copy(thing) is copy.deepcopy(thing) is thing


def test_damage_is_an_error(toy: Tokenizer) -> None:
    """Bytes of a pickle are changed. What comes out is an exception or, where the byte did not matter, the same."""
    grammar = ff.compile_regex("a*b", toy)
    data = pickle.dumps(grammar)
    refused = 0
    for at in range(0, len(data), 7):
        damaged = data[:at] + bytes([data[at] ^ 0x15]) + data[at + 1 :]
        try:
            other = pickle.loads(damaged)
        except Exception:
            refused += 1
        else:
            assert not isinstance(other, ff.Grammar) or other.tokenizer.fingerprint == toy.fingerprint
    assert refused


def test_wrong_states_are_errors(cl100k: Tokenizer) -> None:
    restore, state = cl100k.__reduce__()
    for at, wrong in [
        (1, "__init__"),
        (1, None),
        (2, None),
        (2, {"nonsense": 1}),
        (3, "0" * 64),
        (4, ("/etc",)),
        (4, 1),
    ]:
        with pytest.raises(FFGrammarError):
            restore(*state[:at], wrong, *state[at + 1 :])
    restore, state = ff.compile_regex("a", cl100k).__reduce__()
    for at, wrong in [(0, b"x"), (0, None), (1, None), (2, None)]:
        with pytest.raises(CompiledFileError):
            restore(*state[:at], wrong, *state[at + 1 :])


SPAWN = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
import ffgrammar as ff

def walk(grammar, tok):
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b'{"name": "')
    return tok.fingerprint, tok.encode("in another process"), len(matcher.allowed_token_ids())

if __name__ == "__main__":
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for tok in ff.Tokenizer.from_tiktoken("cl100k_base"), ff.Tokenizer.from_file(sys.argv[1]):
            grammar = ff.compile_json_schema(schema, tok)
            assert pool.submit(walk, grammar, tok).result() == walk(grammar, tok)
    print("same")
"""


def test_spawned_processes(file: Path, tmp_path: Path) -> None:
    script = tmp_path / "spawn.py"
    script.write_text(SPAWN)
    run = subprocess.run([sys.executable, str(script), str(file)], capture_output=True, text=True, timeout=120)
    assert run.stdout == "same\n", run.stderr
