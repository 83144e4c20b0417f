"""Which tokens merges leave side by side: against merging all bytes."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.bpe import pack_lengths
from ffgrammar.tokens.bpe.left_lengths import load_left_lengths
from ffgrammar.tokens.bpe.merge_list import MergeList
from ffgrammar.tokens.bpe.merges import Merges
from ffgrammar.tokens.bpe.native_encoder import NativeEncoder
from ffgrammar.tokens.bpe.pack_lengths import left_lengths
from ffgrammar.tokens.bpe.predecessors import Predecessors
from ffgrammar.tokens.bpe.successors import Successors
from ffgrammar.tokens.pretokenize.table import PretokenTable
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.embedded import ENCODINGS, read_left_lengths
from ffgrammar.tokens.vocabulary.trie import TokenTrie


def by_steps(ranks: dict[bytes, int], data: bytes) -> list[int]:
    """What merges make of bytes, even of those of a token."""
    parts = [data[i : i + 1] for i in range(len(data))]
    while len(parts) > 1:
        pairs = [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]
        if not pairs:
            break
        _, i = min(pairs)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return [ranks[part] for part in parts]


def ids(mask: bytes) -> set[int]:
    return set(np.flatnonzero(np.unpackbits(np.frombuffer(mask, np.uint8), bitorder="little")).tolist())


@st.composite
def vocabularies(draw: st.DrawFn) -> list[bytes]:
    """Letters, and tokens put together of others; in the order of merges, or in another."""
    tokens = [b"a", b"b", b"c", b"d"]
    for _ in range(draw(st.integers(1, 24))):
        token = draw(st.sampled_from(tokens)) + draw(st.sampled_from(tokens))
        if token not in tokens and len(token) < 40:
            tokens.append(token)
    if draw(st.booleans()):
        tokens = draw(st.permutations(tokens))
    if draw(st.booleans()):
        tokens = [*tokens, draw(st.sampled_from(tokens))]
    return tokens


@given(vocabularies(), st.integers(0, 1 << 30))
def test_small_vocabularies(tokens: list[bytes], seed: int) -> None:
    ranks: dict[bytes, int] = {}
    for rank, token in enumerate(tokens):
        ranks.setdefault(token, rank)
    merges = Merges(TokenTrie(tokens, len(tokens)))
    successors, predecessors = Successors(merges), Predecessors(merges)
    reached = [number for token, number in ranks.items() if by_steps(ranks, token) == [number]]
    for number, token in enumerate(tokens):
        assert (merges.parts(number) != ()) == (by_steps(ranks, token) == [ranks[token]])
    for one in reached:
        beside = {other for other in reached if by_steps(ranks, tokens[one] + tokens[other]) == [one, other]}
        assert {other for other in reached if merges.may_follow(one, other)} == beside
        assert ids(successors.after(one)) == beside
        assert ids(predecessors.before(one)) == {other for other in reached if merges.may_follow(other, one)}
    # a sequence is what merges make if each two neighbours are
    random = Random(seed)
    text = bytes(random.choice(b"abcd") for _ in range(20))
    found = by_steps(ranks, text)
    assert all(merges.may_follow(one, other) for one, other in pairwise(found))
    walk = [random.choice(reached)]
    while len(walk) < 8:
        following = sorted(ids(successors.after(walk[-1])))
        if not following:
            break
        walk.append(random.choice(following))
    assert by_steps(ranks, b"".join(tokens[token] for token in walk)) == walk


Listed = dict[tuple[int, int], tuple[int, int]]


def by_listed_steps(listed: Listed, ids: list[int]) -> list[int]:
    """What listed merges make of tokens."""
    parts = list(ids)
    while True:
        pairs = [(listed[pair][0], i) for i, pair in enumerate(pairwise(parts)) if pair in listed]
        if not pairs:
            return parts
        _, i = min(pairs)
        parts[i : i + 2] = [listed[parts[i], parts[i + 1]][1]]


@st.composite
def listed_vocabularies(draw: st.DrawFn) -> tuple[list[bytes], list[tuple[int, int, int]]]:
    """Letters and tokens put together of others, in some order; and a list of merges that make some of them."""
    tokens = [b"a", b"b", b"c", b"d"]
    for _ in range(draw(st.integers(1, 24))):
        token = draw(st.sampled_from(tokens)) + draw(st.sampled_from(tokens))
        if token not in tokens and len(token) < 40:
            tokens.append(token)
    number = {token: index for index, token in enumerate(draw(st.permutations(tokens)))}
    pairs = [
        (number[token[:cut]], number[token[cut:]], number[token])
        for token in tokens
        for cut in range(1, len(token))
        if token[:cut] in number and token[cut:] in number and draw(st.integers(0, 3))
    ]
    if draw(st.booleans()):
        pairs = draw(st.permutations(pairs))
    if pairs and draw(st.booleans()):
        pairs = [*pairs, draw(st.sampled_from(pairs))]
    return sorted(number, key=number.__getitem__), pairs


@given(listed_vocabularies(), st.integers(0, 1 << 30))
def test_listed_merges(vocabulary: tuple[list[bytes], list[tuple[int, int, int]]], seed: int) -> None:
    tokens, pairs = vocabulary
    table = MergeList(pairs)
    listed = {(left, right): (rank, result) for rank, (left, right, result) in enumerate(pairs)}
    assert table.ranks == len(pairs)
    for pair in [*listed, (0, 0), (1, 0)]:
        assert table.merged(*pair) == listed.get(pair)
    merges = Merges(TokenTrie(tokens), table)
    successors, predecessors = Successors(merges), Predecessors(merges)
    letters = {token[0]: number for number, token in enumerate(tokens) if len(token) == 1}

    def by_steps(data: bytes) -> list[int]:
        return by_listed_steps(listed, [letters[byte] for byte in data])

    reached = [number for number, token in enumerate(tokens) if by_steps(token) == [number]]
    for number in range(len(tokens)):
        assert (merges.parts(number) != ()) == (number in reached)
    for one in reached:
        beside = {other for other in reached if by_steps(tokens[one] + tokens[other]) == [one, other]}
        assert {other for other in reached if merges.may_follow(one, other)} == beside
        assert ids(successors.after(one)) == beside
        assert ids(predecessors.before(one)) == {other for other in reached if merges.may_follow(other, one)}
    random = Random(seed)
    for size in (0, 1, 20, 300):
        text = bytes(random.choice(b"abcd") for _ in range(size))
        found = by_steps(text)
        assert merges.makes(text) == found
        assert all(merges.may_follow(one, other) for one, other in pairwise(found))


@pytest.mark.parametrize("count", [0, 1, 9, 10, 5_000, 20_000])
def test_the_table_of_listed_merges(count: int) -> None:
    """Many lists, so that some buckets of some table are full."""
    rng = Random(count)
    for turn in range(20):
        ids = 1 << rng.randrange(5, 23)
        pairs = [(rng.randrange(ids), rng.randrange(ids), rng.randrange(ids)) for _ in range(count)]
        # (of a pair that is listed twice, the last entry counts)
        pairs += [(one, other, rng.randrange(ids)) for one, other, _ in rng.sample(pairs, count // 50)]
        expected = {(one, other): (rank, made) for rank, (one, other, made) in enumerate(pairs)}
        ranks = None
        if turn % 4 == 3:
            pairs = [(one, other, made) for (one, other), (_, made) in expected.items()]
            ranks = sorted(rng.sample(range(1 << 20), len(pairs)))
            expected = {(one, other): (rank, made) for rank, (one, other, made) in zip(ranks, pairs, strict=True)}
        table = MergeList(pairs, ranks)
        absent = ((rng.randrange(ids), rng.randrange(ids)) for _ in range(500))
        for pair in (*rng.sample(sorted(expected), min(500, len(expected))), *absent):
            assert table.merged(*pair) == expected.get(pair)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_predecessors_of_real_tokens(name: str) -> None:
    tok = Tokenizer.from_tiktoken(name)
    merges = Merges(tok.trie)
    predecessors = Predecessors(merges)
    tokens = [token for token in range(tok.vocab_size) if tok.token_bytes(token) and merges.parts(token) != ()]
    for text in (b'"', b" ", b"e", b"0", b'",', b'","', b" the", b"ing", b"Name"):
        one = tok.trie.id_of(text)
        found = ids(predecessors.before(one))
        assert found <= set(tokens)
        assert 100 < len(found) < len(tokens)
        for token in Random(1).sample(tokens, 3000):
            assert (token in found) == merges.may_follow(token, one)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_pairs_of_real_tokens(name: str, repo_root: Path, covered: Callable[[str], None]) -> None:
    tok = Tokenizer.from_tiktoken(name)
    merges = Merges(tok.trie)
    ranks = {tok.token_bytes(token): token for token in range(tok.vocab_size) if tok.token_bytes(token)}
    tokens = sorted(ranks.values())
    random = Random(1)
    used = tok.encode((repo_root / "README.md").read_text())
    pairs = [(random.choice(group), random.choice(group)) for group in (tokens, used) for _ in range(2000)]
    while len(pairs) < 8000:
        # the bytes of a token, or of a token and what may follow it, cut in two
        data = tok.token_bytes(random.choice(tokens)) + random.choice([b"", b"e", b"ing", b" "])
        cut = random.randrange(1, len(data)) if len(data) > 1 else 0
        one, other = ranks.get(data[:cut]), ranks.get(data[cut:])
        if one is not None and other is not None:
            pairs.append((one, other))
    side_by_side = 0
    for one, other in pairs:
        expected = by_steps(ranks, tok.token_bytes(one) + tok.token_bytes(other)) == [one, other]
        assert merges.may_follow(one, other) == expected, (one, other)
        side_by_side += expected
    covered(f"{name}: {len(pairs)} pairs, {side_by_side} of which stand side by side")
    successors = Successors(merges)
    for one in [*random.sample(tokens, 20), *range(0, 256, 40)]:
        after = ids(successors.after(one))
        for other in random.sample(tokens, 200):
            assert (other in after) == merges.may_follow(one, other)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_merges_make_every_embedded_token(name: str) -> None:
    """What `Tokenizer.canon` relies on."""
    tok = Tokenizer.from_tiktoken(name)
    merges = Merges(tok.trie)
    assert not [token for token in range(tok.vocab_size) if tok.token_bytes(token) and merges.parts(token) == ()]


def test_what_is_kept_is_bounded_and_changes_nothing(cl100k: Tokenizer) -> None:
    merges = Merges(cl100k.trie)
    size = len(Successors(merges).after(0))
    for room in (0, size, 3 * size):
        few = Successors(merges, room)
        assert [few.after(token) for token in [1, 2, 3, 1, 4, 2, 1]] == [
            Successors(merges).after(token) for token in [1, 2, 3, 1, 4, 2, 1]
        ]


def test_masks_that_are_asked_for_often_are_kept(cl100k: Tokenizer) -> None:
    merges = Merges(cl100k.trie)
    successors = Successors(merges, 4 * len(Successors(merges).after(0)))
    often, seldom = successors.after(1), successors.after(2)
    for token in range(3, 9):
        successors.after(token)
        assert successors.after(1) is often
    assert successors.after(2) == seldom and successors.after(2) is not seldom


def test_a_token_with_a_byte_that_is_no_token() -> None:
    """Such a token is never a part of a pre-token's encoding. It is found only as a whole pre-token."""
    merges = Merges(TokenTrie([b"a", b"ab", b"abc", b"cab"]))
    assert [merges.parts(token) for token in range(4)] == [None, (), (), ()]
    assert merges.may_follow(0, 0) and not merges.may_follow(0, 1)
    assert ids(Successors(merges).after(0)) == {0}


@pytest.mark.parametrize("size", [100, 127, 128, 129, 130, 400])
def test_both_forms_of_the_merge_loop(size: int) -> None:
    """Few tokens are scanned, many are in a heap."""
    random = Random(size)
    tokens = [b"a", b"b", b"ab", b"ba", b"aa", b"abab", b"aaaa", b"bab", b"abaab"]
    number = {token: rank for rank, token in enumerate(tokens)}
    pairs = [
        (number[token[:cut]], number[token[cut:]], number[token])
        for token in tokens
        for cut in range(1, len(token))
        if token[:cut] in number and token[cut:] in number
    ]
    listed = {(left, right): (rank, result) for rank, (left, right, result) in enumerate(pairs)}
    trie = TokenTrie(tokens)
    merges = Merges(trie, MergeList(pairs))
    encoder = NativeEncoder(PretokenTable(r"(?:\s|\S)+"), Merges(trie), True)
    for _ in range(5):
        text = bytes(random.choice(b"ab") for _ in range(size))
        assert merges.makes(text) == by_listed_steps(listed, [number[text[i : i + 1]] for i in range(size)])
        assert encoder.encode_text(text) == by_steps(number, text)


def test_errors(cl100k: Tokenizer) -> None:
    merges = Merges(cl100k.trie)
    with pytest.raises(TokenizerError, match="out of range"):
        merges.parts(1 << 30)
    with pytest.raises(TokenizerError, match="has no bytes"):
        merges.parts(100257)
    assert not merges.may_follow(100257, 0)
    assert merges.parts(0) is None


def all_parts(merges: Merges, count: int) -> list[object]:
    return [merges.parts(token) if merges.trie.token_bytes(token) else None for token in range(count)]


def split_at_once(merges: Merges) -> Merges:
    """The same merges, once the parts of all tokens were found in the fast way."""
    successors = Successors(merges)
    for token in range(merges.trie.vocab_size):
        successors.after(token)
    return merges


@given(vocabularies())
def test_parts_of_all_tokens_at_once(tokens: list[bytes]) -> None:
    trie = TokenTrie([*tokens, b"", b"xyz"])
    assert all_parts(split_at_once(Merges(trie)), len(tokens)) == all_parts(Merges(trie), len(tokens))


@given(listed_vocabularies())
def test_parts_of_all_tokens_of_listed_merges(vocabulary: tuple[list[bytes], list[tuple[int, int, int]]]) -> None:
    tokens, pairs = vocabulary
    trie = TokenTrie(tokens)
    order = list(dict.fromkeys(result for _, _, result in pairs))
    by_result = sorted(pairs, key=lambda pair: order.index(pair[2]))
    for table in (MergeList(pairs), MergeList(by_result, [order.index(result) for _, _, result in by_result])):
        one_by_one = all_parts(Merges(trie, table), len(tokens))
        for renamed in (None, set(), {0, 3, len(tokens) + 5, -1}):
            assert all_parts(split_at_once(Merges(trie, table, renamed=renamed)), len(tokens)) == one_by_one


def test_a_renamed_token_has_parts_by_its_bytes() -> None:
    """The bytes of the token that the last merge makes are not those of its two tokens."""
    trie = TokenTrie([b"a", b"b", b"c", b"ab", b"xc", b"x"])
    table = MergeList([(0, 1, 3), (3, 2, 4)])
    for renamed in (None, {4}):
        merges = split_at_once(Merges(trie, table, renamed=renamed))
        assert merges.parts(3) == (0, 1) and merges.parts(4) == ()


@pytest.mark.parametrize("byte_tokens", [None, list(range(256))])
@pytest.mark.parametrize("size", [2, 1100])
def test_tokens_are_found_without_an_index(byte_tokens: list[int] | None, size: int) -> None:
    """Before many tokens are looked up by their bytes, they are found by a walk down the trie. (A token of 1,100 bytes
    is not in the trie.)"""
    texts = [bytes([value]) for value in range(256)]
    texts += ["ä".encode(), b"ab", b"abc", "ä€".encode(), b"ab", b"x" * size]
    listed = MergeList([(97, 98, 257), (257, 99, 258)])

    def trie() -> TokenTrie:
        return TokenTrie(texts, secondary={257})

    def merges(trie: TokenTrie) -> Merges:
        return Merges(trie, listed, byte_tokens)

    def encoder(trie: TokenTrie, whole: bool) -> NativeEncoder:
        return NativeEncoder(PretokenTable(r"\s+|\S+"), merges(trie), whole)

    indexed = trie()
    assert indexed.id_of(b"ab") == 260
    for text in [b"a", b"ab", b"abc", b"abd", b"zabc", "ä".encode(), "aä€".encode(), "€".encode()]:
        assert merges(trie()).makes(text) == merges(indexed).makes(text)
        for whole in (False, True):
            assert encoder(trie(), whole).encode_text(text) == encoder(indexed, whole).encode_text(text)
    assert encoder(trie(), True).encode_text(b"x" * size) == [261]


@given(st.integers(0, 1 << 30))
def test_parts_of_all_tokens_of_characters(seed: int) -> None:
    """Some characters are tokens. Others are written in tokens for their bytes, and merges may join even these."""
    random = Random(seed)
    texts = [bytes([value]) for value in range(256)] + ["ä".encode(), "€".encode(), b"a" * 2]
    pairs = []
    for _ in range(30):
        left, right = (random.randrange(0x60, len(texts)) for _ in range(2))
        if random.randrange(4):
            left, right = random.choice([97, 98, 256, len(texts) - 1]), random.choice([97, 98, 256, len(texts) - 1])
        if texts[left] + texts[right] not in texts:
            texts.append(texts[left] + texts[right])
        pairs.append((left, right, texts.index(texts[left] + texts[right])))
    random.shuffle(pairs)
    trie = TokenTrie(texts)

    def made() -> Merges:
        return Merges(trie, MergeList(pairs), list(range(256)))

    assert all_parts(split_at_once(made()), len(texts)) == all_parts(made(), len(texts))


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_packed_parts(name: str) -> None:
    trie = Tokenizer.from_tiktoken(name).trie
    packed = read_left_lengths(ENCODINGS[name])
    assert packed == left_lengths(trie)
    merges = Merges(trie)
    load_left_lengths(merges, packed)
    assert all_parts(merges, trie.vocab_size) == all_parts(Merges(trie), trie.vocab_size)
    for token in range(0, trie.vocab_size, 20011):
        assert Successors(merges).after(token) == Successors(Merges(trie)).after(token)


def test_packed_parts_of_another_vocabulary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trie = TokenTrie([b"a", b"b", b"ab", b"abb", b""])
    assert left_lengths(trie) == bytes([0, 1, 2, 0])
    merges = Merges(trie)
    load_left_lengths(merges, bytes([0, 1, 2, 0]))
    assert merges.parts(3) == (2, 1)
    for wrong in ([0, 1, 2], [0, 1, 2, 0, 0], [0, 2, 2, 0], [0, 1, 3, 0], [1, 1, 2, 0]):
        with pytest.raises(TokenizerError, match="not those of this vocabulary"):
            load_left_lengths(Merges(trie), bytes(wrong))
    for tokens in ([b"a", b"ab"], [b"ab", b"a", b"b"]):
        with pytest.raises(TokenizerError, match="in the order of ranks"):
            left_lengths(TokenTrie(tokens))
    assert pack_lengths.main(["cl100k_base", str(tmp_path / "out.bin")]) == 0
    assert zlib.decompress((tmp_path / "out.bin").read_bytes()) == read_left_lengths(ENCODINGS["cl100k_base"])
    assert pack_lengths.main([]) == pack_lengths.main(["none", "out.bin"]) == 2
    assert pack_lengths.main(["cl100k_base", str(tmp_path / "none" / "out.bin")]) == 2
    assert "usage" in capsys.readouterr().err


def test_a_merge_of_a_token_that_is_not_there() -> None:
    trie = TokenTrie([b"a", b"aa"])
    with pytest.raises(TokenizerError, match="makes token 7"):
        Merges(trie, MergeList([(0, 0, 7)]))
    assert Successors(Merges(trie, MergeList([(0, 9, 1), (0, 0, 1)]))).after(0)


@pytest.mark.parametrize("packed", [True, False])
def test_threads_that_ask_first_get_the_same_answers(cl100k: Tokenizer, packed: bool) -> None:
    lengths = read_left_lengths(ENCODINGS["cl100k_base"]) if packed else None
    random = Random(4)
    asked = [random.randrange(100_000) for _ in range(150)]
    alone = Successors(Merges(cl100k.trie))
    expected = {token: alone.after(token) for token in asked}
    for _ in range(4):
        merges = Merges(cl100k.trie)
        if lengths is not None:
            load_left_lengths(merges, lengths)
        successors = Successors(merges)
        start = threading.Barrier(6)
        wrong: list[int] = []

        def ask(
            seed: int,
            merges: Merges = merges,
            successors: Successors = successors,
            start: threading.Barrier = start,
            wrong: list[int] = wrong,
        ) -> None:
            mine = Random(seed).sample(asked, 100)
            start.wait()
            for token in mine:
                mask = successors.after(token)
                other = mine[token % 100]
                may = bool(mask[other >> 3] >> (other & 7) & 1)
                if mask != expected[token] or merges.may_follow(token, other) != may:
                    wrong.append(token)
            wrong.append(-1)

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == [-1] * 6
