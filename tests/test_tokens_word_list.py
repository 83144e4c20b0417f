"""Word lists of RWKV: at each place of a text the longest token counts."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import ffgrammar as ff
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.vocabulary.longest_match import LongestMatch
from ffgrammar.tokens.vocabulary.trie import TokenTrie

WORDS = ["a", "b", " ", "\n", "'", "ab", "aba", "abab!", "\u4e2d", "\u2028", "caf\u00e9", " the", " the "]


def word_list(path: Path, words: list[bytes | str]) -> Path:
    sizes = [len(word.encode()) if isinstance(word, str) else len(word) for word in words]
    lines = [f"{number} {word!r} {size}\n" for number, (word, size) in enumerate(zip(words, sizes, strict=True), 1)]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path


def longest_match(tokens: dict[bytes, int], text: bytes) -> list[int]:
    found = []
    while text:
        longest = max((token for token in tokens if text.startswith(token)), key=len)
        found.append(tokens[longest])
        text = text[len(longest) :]
    return found


def test_the_longest_token_counts(tmp_path: Path) -> None:
    words = [*(bytes([value]) for value in range(256)), b"\xe4\xb8", *WORDS[5:]]
    tok = ff.Tokenizer.from_file(word_list(tmp_path / "vocab.txt", words))
    assert tok.vocab_size == 1 + len(words) and tok.eos_token_ids == (0,) and tok.token_bytes(0) == b""
    assert tok.canon is None and tok.canon_reason.startswith("the longest token counts at each place")
    tokens = {tok.token_bytes(number): number for number in range(1, tok.vocab_size)}
    random = Random(1)
    for _ in range(2000):
        text = "".join(random.choice([*WORDS, "x"]) for _ in range(random.randrange(12)))
        data = text.encode()[: random.randrange(len(text) + 2)]
        assert tok.encode(text) == longest_match(tokens, text.encode())
        assert tok.encode(data) == longest_match(tokens, data) and tok.decode(tok.encode(data)) == data
    assert tok.encode("a\ud800b") == tok.encode("a\ufffdb")


def test_forced_tokens_are_accepted_and_stay(tmp_path: Path) -> None:
    words = [*(bytes([value]) for value in range(256)), *WORDS[5:]]
    tok = ff.Tokenizer.from_file(word_list(tmp_path / "vocab.txt", words), vocab_size=400)
    random = Random(2)
    forced_tokens = 0
    for _ in range(300):
        stem = "".join(random.choice(WORDS) for _ in range(6))
        sentences = [stem + random.choice(WORDS) + random.choice(WORDS) for _ in range(3)]
        matcher = ff.compile_choice(sentences, tok).matcher()
        forced = matcher.forced_tokens()
        assert all(tok.encode(text)[: len(forced)] == forced for text in sentences), sentences
        assert matcher.accept_tokens(forced) == len(forced)
        forced_tokens += len(forced)
    assert forced_tokens > 300


def test_lines_that_are_damaged(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    for line in ("2 'b' 2", "2 'b'", "x 'b' 1", "2 b 1", "2 5 1", "2 'b", "-1 'b' 1", "99999999 'b' 1", "1 'b' 1", ""):
        path.write_text(f"1 'a' 1\n{line}\n")
        with pytest.raises(TokenizerError, match="line 2: "):
            ff.Tokenizer.from_file(path)


def test_places_where_no_token_begins() -> None:
    with pytest.raises(TokenizerError, match="no token begins at byte 2 of the text"):
        LongestMatch(TokenTrie([b"a", b"bc"])).encode("aab")
    with pytest.raises(TokenizerError, match="1 tokens are too long"):
        LongestMatch(TokenTrie([b"a" * 2000]))
