"""The packed trie against plain Python, on random and odd vocabularies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.vocabulary.packed_tokens import PackedTokens
from ffgrammar.tokens.vocabulary.trie import MAX_VOCAB_SIZE, TokenTrie
from oracle.tokens import node_total, tokens_under

# Few letters, so that prefixes and equal tokens are common; 0x00 and 0xff are the ends of the byte order.
SMALL = st.lists(st.sampled_from([b"a", b"b", b"\x00", b"\xff"]), max_size=5).map(b"".join)
VOCABULARIES = st.lists(SMALL, max_size=40)


def walk(trie: TokenTrie) -> dict[bytes, int]:
    """Token by bytes, by following children; checks byte, depth and size of every node on the way."""
    found: dict[bytes, int] = {}

    def visit(node: int, path: bytes) -> int:
        byte, token, size, depth = trie.node(node)
        assert depth == len(path) and byte == (path[-1] if path else 0)
        if token is not None:
            found[path] = token
        children = trie.children(node)
        assert [byte for byte, _ in children] == sorted({byte for byte, _ in children})
        total = 1 + sum(visit(child, path + bytes([byte])) for byte, child in children)
        assert total == size
        return size

    assert visit(0, b"") == trie.node_count
    return found


@given(VOCABULARIES, st.integers(0, 70))
def test_trie_is_the_vocabulary(tokens: list[bytes], surplus: int) -> None:
    size = len(tokens) + surplus
    trie = TokenTrie(tokens, size)
    assert (trie.vocab_size, trie.n_words, trie.pad_token) == (size, (size + 31) // 32, 32 * ((size + 31) // 32))
    assert trie.node_count == node_total(tokens)
    assert trie.token_count == sum(map(bool, tokens))
    lowest: dict[bytes, int] = {}
    aliases = []
    for number, token in enumerate(tokens):
        if token and lowest.setdefault(token, number) != number:
            aliases.append((lowest[token], number))
    assert walk(trie) == lowest
    assert sorted(trie.aliases) == sorted(aliases)
    assert trie.alias_count == len(aliases)
    for number in range(size):
        assert trie.token_bytes(number) == (tokens[number] if number < len(tokens) else b"")


@given(VOCABULARIES, SMALL)
def test_look_ups(tokens: list[bytes], text: bytes) -> None:
    trie = TokenTrie(tokens)
    assert trie.subtree(text) == tokens_under(tokens, text)
    assert (trie.find(text) >= 0) == (not text or any(token.startswith(text) for token in tokens))
    assert trie.id_of(text) == (tokens.index(text) if text and text in tokens else -1)


def test_long_tokens_are_kept_out_of_the_trie() -> None:
    longest, too_long = b"x" * 1024, b"x" * 1025
    trie = TokenTrie([b"a", too_long, longest, too_long, b"y" * 70000])
    assert trie.long_ids == [1, 3, 4] and trie.long_count == 3
    assert trie.max_depth == 1024 and trie.node_count == 1 + 1 + 1024
    assert trie.subtree(b"x") == [2]
    assert trie.id_of(too_long) == 1 and trie.id_of(b"y" * 70000) == 4
    assert trie.token_bytes(4) == b"y" * 70000


def test_an_empty_vocabulary() -> None:
    trie = TokenTrie([])
    assert (trie.node_count, trie.vocab_size, trie.pad_token) == (1, 0, 0)
    assert trie.node(0) == (0, None, 1, 0)
    assert trie.children(0) == [] and trie.find(b"a") == -1 and trie.find(b"") == 0 and trie.id_of(b"a") == -1


def test_all_tokens_equal() -> None:
    trie = TokenTrie([b"ab"] * 100)
    assert trie.node_count == 3 and trie.aliases == [(0, number) for number in range(1, 100)]


@pytest.mark.parametrize(
    ("tokens", "size", "text"),
    [
        (["a"], None, "token 0 is str, not bytes"),
        ([b"a", 3], None, "token 1 is int, not bytes"),
        ([b"a", b"b"], 1, "2 tokens, more than vocab_size=1"),
        ([], -1, "must be between"),
        ([], MAX_VOCAB_SIZE + 1, "must be between"),
        ([], 1 << 70, "must be between"),
        ([], True, "must be an int, not bool"),
        ([], 1.5, "must be an int, not float"),
    ],
)
def test_bad_vocabularies(tokens: list, size: object, text: str) -> None:
    with pytest.raises(TokenizerError, match=text):
        TokenTrie(tokens, size)


def test_the_largest_vocab_size() -> None:
    trie = TokenTrie([b"a"], MAX_VOCAB_SIZE)
    assert trie.pad_token == MAX_VOCAB_SIZE and trie.node(1) == (ord("a"), 0, 1, 1)


@pytest.mark.parametrize("token", [-1, 2, 1 << 40, 1 << 80, -(1 << 80)])
def test_ids_out_of_range(token: int) -> None:
    trie = TokenTrie([b"a", b"b"])
    with pytest.raises(TokenizerError, match=f"token {token} is out of range: vocab_size is 2"):
        trie.token_bytes(token)
    with pytest.raises(TokenizerError, match="token of 20001 bits is out of range"):
        trie.token_bytes(1 << 20_000)
    for reader in (trie.node, trie.children):
        with pytest.raises(IndexError):
            reader(token + 1 if token > 0 else token)


@pytest.mark.parametrize(
    ("raw", "count", "text"),
    [
        (b"", 1, "cut short"),
        (b"\x00\x01\x00\x00\x00", 1, "size is wrong"),
        (b"\x00\x01\x07\x00\x00a", 1, "out of range or there twice"),
        (b"\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00ab", 2, "out of range or there twice"),
        (b"\x01\x01\x00\x00\x00a", 1, "length is wrong"),
        (b"\x00\x00\x00\x00\x00", 1, "length is wrong"),
        (b"\x00\x00\x01\x01\x00\x01\x00\x00\x00\x00ba", 2, "not in order"),
        (b"\x00\x00\x01\x01\x00\x01\x00\x00\x00\x00aa", 2, "not in order"),
        (b"\x00" * 100, 9, "do not fit"),
    ],
)
def test_damaged_packed_vocabularies(raw: bytes, count: int, text: str) -> None:
    with pytest.raises(TokenizerError, match=text):
        TokenTrie.from_front_coded(raw, count, 5)


@given(VOCABULARIES, st.data())
def test_secondary_tokens_give_way(tokens: list[bytes], data: st.DataObject) -> None:
    secondary = data.draw(st.sets(st.integers(0, max(0, len(tokens) - 1))))
    trie = TokenTrie(tokens, len(tokens), secondary)
    expected: dict[bytes, int] = {}
    for number in sorted(range(len(tokens)), key=lambda number: (number in secondary, number)):
        if tokens[number]:
            expected.setdefault(tokens[number], number)
    assert walk(trie) == expected
    others = [number for number, token in enumerate(tokens) if token and expected[token] != number]
    assert sorted(trie.aliases) == sorted((expected[tokens[number]], number) for number in others)
    for token, number in expected.items():
        assert trie.id_of(token) == number


LONG = st.lists(
    st.tuples(st.sampled_from([b"", b"a", b"aaaaaaa", b"aaaaaaab\x00", b"\xff" * 15]), SMALL).map(b"".join),
    max_size=120,
)


@given(LONG, st.data())
def test_tokens_are_in_byte_order(tokens: list[bytes], data: st.DataObject) -> None:
    secondary = data.draw(st.sets(st.integers(0, 130), max_size=5))
    trie = TokenTrie(tokens, None, secondary)
    first: dict[bytes, int] = {}
    for number in sorted(range(len(tokens)), key=lambda number: (number in secondary, number)):
        first.setdefault(tokens[number], number)
    assert trie.subtree(b"") == [first[token] for token in sorted(first) if token]


# Lengths around the largest that one byte can say, and around the largest of a token in the trie
SIZES = st.lists(st.sampled_from([255, 256, 257, 511, 512, 1023, 1024, 1025, 1300]), max_size=6)


@given(LONG, st.sets(st.integers(0, 119), max_size=5), st.integers(0, 9), SIZES)
def test_the_front_coded_form_has_all(tokens: list[bytes], secondary: set[int], surplus: int, sizes: list[int]) -> None:
    listed = [*tokens, *(text for size in sizes for text in (b"z" * size, b"", b"a" * size))]
    trie = TokenTrie(listed, len(listed) + surplus, secondary)
    raw, count, long_tokens, wide = trie.front_coded()
    assert wide == any(255 < size <= 1024 for size in sizes)
    assert trie.max_depth == max([0, *(len(token) for token in listed if len(token) <= 1024)])
    other = TokenTrie.from_front_coded(raw, count, trie.vocab_size, long_tokens, wide)
    assert other.bytes_and_offsets() == trie.bytes_and_offsets()
    assert (other.aliases, other.long_ids, other.token_count) == (trie.aliases, trie.long_ids, trie.token_count)
    assert (other.max_depth, other.node_count) == (trie.max_depth, trie.node_count)
    assert [other.node(node) for node in range(other.node_count)] == [
        trie.node(node) for node in range(trie.node_count)
    ]
    for token in listed:
        assert other.id_of(token) == trie.id_of(token)
    assert other.front_coded() == (raw, count, long_tokens, wide)


# Two texts, and where a token begins and ends in one of them: neighbours share up to all of their bytes
CUTS = st.tuples(st.sampled_from([bytes(range(65, 105)), b"A" * 40]), st.integers(0, 5), st.integers(0, 35))


@given(st.lists(CUTS, max_size=30))
def test_tokens_of_about_sixteen_bytes(cuts: list[tuple[bytes, int, int]]) -> None:
    """Tokens of up to sixteen bytes are put together in another way than longer ones."""
    listed = [text[start : start + size] for text, start, size in cuts]
    trie = TokenTrie(listed)
    raw, count, long_tokens, wide = trie.front_coded()
    other = TokenTrie.from_front_coded(raw, count, trie.vocab_size, long_tokens, wide)
    for number, token in enumerate(listed):
        assert other.token_bytes(number) == token
        # (the index is filled by another function than look-ups use)
        assert other.id_of(token) == trie.id_of(token) == (listed.index(token) if token else -1)
        assert other.id_of(token + b"?") == -1


@given(LONG, SIZES, st.data())
def test_damaged_front_coded_forms(tokens: list[bytes], sizes: list[int], data: st.DataObject) -> None:
    """Whatever the bytes are, there is an error or a trie that is sound."""
    tokens = [*tokens, *(b"z" * size for size in sizes if size <= 257)]
    raw, count, _, wide = TokenTrie(tokens).front_coded()
    wide = data.draw(st.sampled_from([wide, wide, wide, not wide]))
    damaged = bytearray(raw)
    for at in data.draw(st.lists(st.integers(0, max(0, len(raw) - 1)), max_size=3)):
        if raw:
            damaged[at] = data.draw(st.integers(0, 255))
    try:
        trie = TokenTrie.from_front_coded(bytes(damaged), count, max(count, len(tokens)), (), wide)
    except TokenizerError:
        return
    found = walk(trie)
    assert all(trie.token_bytes(token) == text for text, token in found.items())
    assert len(found) + trie.alias_count == count


@pytest.mark.parametrize(
    "long_tokens", [[(9, b"x" * 1025)], [(0, b"x" * 1025)], [(1, b"x" * 1024)], [(1, b"x" * 1025)] * 2]
)
def test_wrong_long_tokens(long_tokens: list[tuple[int, bytes]]) -> None:
    raw, count, _, _ = TokenTrie([b"a"]).front_coded()
    with pytest.raises(TokenizerError, match="a long token is wrong"):
        TokenTrie.from_front_coded(raw, count, 3, long_tokens)


@given(
    st.lists(st.one_of(st.none(), SMALL), max_size=9), st.dictionaries(st.integers(0, 12), st.one_of(st.none(), SMALL))
)
def test_packed_tokens(tokens: list[bytes | None], changes: dict[int, bytes | None]) -> None:
    packed = PackedTokens(tokens)
    assert list(packed) == [token or None for token in tokens] == packed[:] and len(packed) == len(tokens)
    expected = [*tokens, *[None] * (1 + max([-1, *changes]) - len(tokens))]
    for number, token in changes.items():
        expected[number] = token
    assert list(packed.changed(changes)) == [token or None for token in expected]
    assert list(packed) == [token or None for token in tokens]
    for wrong in (-1, len(tokens)):
        with pytest.raises(IndexError):
            packed[wrong]
