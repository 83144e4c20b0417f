"""Sequences that grow, the masks of what may follow, and coverings, against the encodings of texts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.rules import CanonicalRules
from ffgrammar.tokens.canonical.sequence import CanonicalSequence
from ffgrammar.tokens.tokenizer import Tokenizer
from long_checks.coverings import PREFIXES, vocabulary
from oracle.canonical import coverings
from oracle.character_prefix import VocabularyTrie, plain_coverings
from oracle.rules_checks import check_coverings, check_following, check_sequences, rules_text
from shared_data import ENCODINGS, encoding

NAMES = ["cl100k_base", "o200k_base"]


@pytest.fixture(scope="module", params=NAMES)
def tok(request: pytest.FixtureRequest) -> Tokenizer:
    return Tokenizer.from_tiktoken(request.param)


@pytest.fixture
def tiktoken_encode(tok: Tokenizer, shared_dir: Path) -> Callable[[str], list[int]]:
    pytest.importorskip("tiktoken")
    return encoding(tok.name, shared_dir).encode_ordinary


def test_sequences_that_grow(
    tok: Tokenizer, tiktoken_encode: Callable[[str], list[int]], covered: Callable[[str], None]
) -> None:
    alive, dead, whole = check_sequences(tok, tiktoken_encode, Random(5), 3000)
    assert min(alive, dead, whole) > 100
    covered(f"{tok.name}: {alive} sequences may go on, {whole} are whole, {dead} are nobody's")


def test_what_follows_is_what_may_be_pushed(
    tok: Tokenizer, tiktoken_encode: Callable[[str], list[int]], covered: Callable[[str], None]
) -> None:
    tokens = check_following(tok, tiktoken_encode, Random(2), 12)
    assert tok.canon is not None
    assert set(CanonicalSequence(tok.canon).following()) >= {tok.encode("a")[0], tok.encode(" the")[0]}
    covered(f"{tok.name}: {tokens} tokens after 12 sequences")


@pytest.mark.parametrize("prefix", PREFIXES)
def test_known_coverings(cl100k: Tokenizer, prefix: str) -> None:
    found = cl100k.coverings(prefix)
    assert {cl100k.decode(one.kept).decode(): one.count for one in found} == PREFIXES[prefix]
    for one in found:
        assert one.position == len(cl100k.decode(one.kept)) and one.rest == prefix.encode()[one.position :]
        assert one.candidates.dtype == np.int32 and len(one.candidates) == one.count
        assert all(cl100k.token_bytes(int(token)).startswith(one.rest) for token in one.candidates)
        assert repr(one) == (
            f"<Covering: {len(one.kept)} tokens kept, {one.position} bytes; {one.count} tokens begin with {one.rest!r}>"
        )


@pytest.fixture(scope="module")
def plain_trie(cl100k: Tokenizer) -> VocabularyTrie:
    return vocabulary(cl100k)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_known_coverings_are_all_there_are(
    cl100k: Tokenizer, plain_trie: VocabularyTrie, shared_dir: Path, prefix: str
) -> None:
    """Every token at every place is tried, with every way to go on; and the plain method finds no other ones."""
    pytest.importorskip("tiktoken")
    tiktoken_encoding = encoding("cl100k_base", shared_dir)
    found = {(*one.kept, int(token)) for one in cl100k.coverings(prefix) for token in one.candidates}

    def sizes(token: int) -> int:
        return len(cl100k.token_bytes(token))

    def candidates(start: bytes) -> list[bytes]:
        return [data for _, data in plain_trie.under(start)]

    assert found == coverings(tiktoken_encoding.encode_ordinary, sizes, candidates, prefix.encode(), Random(1))
    for kept, tokens in plain_coverings(tiktoken_encoding, ENCODINGS["cl100k_base"][0], plain_trie, prefix).items():
        assert len(tokens) == PREFIXES[prefix][kept]
        assert {(*cl100k.encode(kept), token) for token in tokens} <= found


def test_candidates_are_the_same_by_successors() -> None:
    """Candidates are told by pairs of tokens until many were asked for, then by tables of successors."""
    tok = Tokenizer.from_tiktoken("cl100k_base")
    prefixes = [*PREFIXES, "a", " ", "x.", "\n ", "don't", "12", "\u4e2d", "!", " the s", "A", "The c"]

    def found() -> list[tuple[tuple[int, ...], bytes]]:
        return [(one.kept, one.bitmask) for prefix in prefixes for one in tok.coverings(prefix)]

    by_pairs = found()
    for _ in range(6):
        assert found() == by_pairs


def test_coverings_are_those_found_by_encoding(
    tok: Tokenizer, tiktoken_encode: Callable[[str], list[int]], covered: Callable[[str], None]
) -> None:
    sequences = check_coverings(tok, tiktoken_encode, Random(7), 60)
    covered(f"{tok.name}: 60 prefixes, {sequences} sequences")


def test_each_text_has_one_covering_of_its_beginning(tok: Tokenizer) -> None:
    random = Random(11)
    for _ in range(300):
        text = rules_text(random, 9)
        ids = tok.encode(text)
        data = text.encode()
        prefix = data[: random.randrange(1, len(data) + 1)]
        size = count = 0
        while size < len(prefix):
            size += len(tok.token_bytes(ids[count]))
            count += 1
        fitting = [one for one in tok.coverings(prefix) if one.kept == tuple(ids[: count - 1])]
        assert len(fitting) == 1 and ids[count - 1] in fitting[0].candidates


def test_tokens_that_nothing_can_change(cl100k: Tokenizer) -> None:
    assert cl100k.tokenize_partial(b"order") == ([], b"order")
    recent = cl100k.encode('{"')
    tokens, left = cl100k.tokenize_partial(b'name_of_the_person"', recent_tokens=recent)
    assert left == b'"' and cl100k.decode(tokens) == b"name_of_the_person"
    assert cl100k.dbg_tokens(tokens) == "name\u2027_of\u2027_the\u2027_person"
    assert cl100k.dbg_tokens([100257, 163, 100256]) == "<|endoftext|>\u2027\\xe7\u2027[100256]"
    assert cl100k.tokenize_partial(b"") == ([], b"")
    # tokens that the tokenizer would not write change nothing about what follows
    odd = [token for letter in ' {"' for token in cl100k.encode(letter)]
    assert cl100k.tokenize_partial(b'name_of_the_person"', odd) == (tokens, left)
    random = Random(13)
    for _ in range(200):
        text, more = rules_text(random, 6).encode(), rules_text(random, 6).encode()
        tokens, left = cl100k.tokenize_partial(text)
        assert cl100k.decode(tokens) + left == text
        assert cl100k.encode(text + more)[: len(tokens)] == tokens


def test_threads_that_ask_first_all_get_rules() -> None:
    for _ in range(5):
        tok = Tokenizer.from_tiktoken("cl100k_base")
        start = threading.Barrier(6)
        found: list[object] = []

        def ask(tok: Tokenizer = tok, start: threading.Barrier = start, found: list[object] = found) -> None:
            start.wait()
            found.append(tok.canon)

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 6 and None not in found


def test_errors(cl100k: Tokenizer) -> None:
    assert cl100k.coverings("") == []
    for data in (b"\xff", b"a\xc3(", "\ud800"):
        with pytest.raises(TokenizerError, match="no UTF-8 text begins so"):
            cl100k.coverings(data)
    toy = Tokenizer.from_tokens([b"a", b"b"], encode=lambda data: [0 if value == 97 else 1 for value in data])
    for ask in (lambda: toy.coverings("a"), lambda: toy.tokenize_partial(b"a")):
        with pytest.raises(TokenizerError, match="not known"):
            ask()
    with pytest.raises(TokenizerError, match="out of range"):
        cl100k.tokenize_partial(b"a", [1 << 30])


def test_tokens_that_merges_do_not_make() -> None:
    """A whole pre-token that is a token is that token, as tiktoken has it; merges alone would make others of it."""
    tokens = [*b"abc ", b"ab", b"bc", b"abcc"]
    tokens = [bytes([token]) if isinstance(token, int) else token for token in tokens]
    trie = Tokenizer.from_tokens(tokens).trie
    ranks = {token: rank for rank, token in enumerate(tokens)}

    def encode(text: str) -> list[int]:
        from oracle.tokens import merge_pretoken

        pretokens = text.replace(" ", "\0 ").split("\0")
        return [token for pretoken in pretokens if pretoken for token in merge_pretoken(ranks, pretoken.encode())]

    rules = CanonicalRules(trie, r" ?[^ ]+| +")
    assert rules.has_unmergeable
    random = Random(1)
    texts = ["".join(random.choice("abc") for _ in range(random.randrange(7))) for _ in range(3)]
    everything = {""}
    for _ in range(7):
        everything |= {text + letter for text in everything for letter in "abc "}
        if len(everything) > 6000:
            break
    begun = {tuple(encode(text)[:count]) for text in everything for count in range(9)}
    checked = 0
    for _ in range(4000):
        ids = [random.randrange(len(tokens)) for _ in range(random.randrange(1, 4))]
        if len("".join(tokens[token].decode() for token in ids)) > 5:
            continue
        sequence = CanonicalSequence(rules)
        assert all(sequence.push(token) for token in ids) == (tuple(ids) in begun), ids
        checked += 1
    assert checked > 500 and texts
