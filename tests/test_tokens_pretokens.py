"""Where pre-tokens end by a pattern, against the regex package. An end that is settled stays, whatever follows."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from itertools import accumulate, groupby
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.gguf_patterns import NAMED
from ffgrammar.tokens.pretokenize import pack_properties, properties
from ffgrammar.tokens.pretokenize.pattern import compile_pattern
from ffgrammar.tokens.pretokenize.program import CHAR, MATCH
from ffgrammar.tokens.pretokenize.split import Split
from ffgrammar.tokens.pretokenize.table import PretokenTable
from ffgrammar.tokens.pretokenize.words import compile_words
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.embedded import CL100K_PATTERN, O200K_PATTERN

CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
PATTERNS = {
    "cl100k": CL100K_PATTERN,
    "o200k": O200K_PATTERN,
    "llama 3": rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "qwen 2": rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "digits": r"\p{N}|[^\p{N}]+",
    "lazy": r"[a-c]+?x|[a-c]{2,}?|\p{L}{2}|[^\p{L}]+?(?= )|\P{L}|\p{L}",
}
# (not the digits and letters whose class changed between versions of Unicode)
PARTS = st.sampled_from([*" \n\t\r'Abcx1!/\u4e2d\u0301\u00a0\u00e9\u00c9\u01c5\u2026\u02b0\u0663\u2028\U0001f44d"])
WORDS = st.sampled_from(["  ", "\r\n", "'s", "'LL", "'\u017f", "don", "22", "word", "Xy", "//", "   ", "\n\n", " a"])
TEXTS = st.lists(PARTS | WORDS, max_size=14).map("".join)

TABLES: dict[str, PretokenTable] = {}


def table(name: str) -> PretokenTable:
    """Shared by the examples of a property test."""
    return TABLES.setdefault(name, TABLES.get(name) or PretokenTable(PATTERNS[name]))


@pytest.mark.parametrize("name", PATTERNS)
@given(text=TEXTS)
def test_pretokens_are_those_of_the_pattern(name: str, text: str) -> None:
    ends = [len(text[: match.end()].encode()) for match in regex.finditer(PATTERNS[name], text)]
    assert table(name).ends_of(text.encode()) == ends


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
@given(text=TEXTS)
def test_pretokens_are_those_of_the_encoder(name: str, text: str) -> None:
    tok = TOKENIZERS.setdefault(name, TOKENIZERS.get(name) or Tokenizer.from_tiktoken(f"{name}_base"))
    assert table(name).ends_of(text.encode()) == tok.pretoken_ends(text.encode())


TOKENIZERS: dict[str, Tokenizer] = {}


@pytest.mark.parametrize("name", PATTERNS)
@given(text=TEXTS, more=TEXTS)
def test_what_is_settled_stays(name: str, text: str, more: str) -> None:
    settled, _ = table(name).settled(text.encode())
    now, later = (table(name).ends_of(one.encode()) for one in (text, text + more))
    if settled:
        assert settled in now and settled in later
    assert [end for end in now if end <= settled] == [end for end in later if end <= settled]


GGUF = ["default", "falcon", "deepseek-llm", "deepseek-coder", "tekken", "gpt-4o", "bloom", "exaone-moe", "spark2_5"]
# Patterns one after another, some of which match here and there only
SEQUENCES = {
    "numbers, then words": [Split(r"\p{N}{1,3}", gaps=True), Split(PATTERNS["gpt2"])],
    "words, then others": [Split(PATTERNS["o200k"]), Split(PATTERNS["gpt2"])],
    "three": [Split(r"\s+(?!\S)", gaps=True), Split(PATTERNS["cl100k"]), Split(r"[a-m]{2}|o", gaps=True)],
    "look ahead": [Split(r"o+(?=r)|\s\s", gaps=True), Split(r"\S+?(?=d)|\s+(?!\S)", gaps=True)],
    "only gaps": [Split("\ue000", gaps=True)],
    "starred first": [Split("a*b", gaps=True), Split(r" *1|(?!x)*c", gaps=True)],
    "properties": [Split(r"\p{P}+|[\p{S}\d]", gaps=True), Split(r"\p{Han}+|(a|b)\D", gaps=True)],
    **{name: [Split(one, gaps=True) for one in NAMED[name].patterns] for name in GGUF},
}


def cut(splits: list[Split], text: str) -> list[str]:
    """The pre-tokens, by the regex package."""
    pretokens = [text]
    for split in splits:
        found = []
        for pretoken in pretokens:
            at = 0
            for match in regex.finditer(split.pattern, pretoken):
                found += [pretoken[at : match.start()], match[0]]
                at = match.end()
            found.append(pretoken[at:])
        pretokens = [pretoken for pretoken in found if pretoken]
    return pretokens


@pytest.mark.parametrize("name", SEQUENCES)
@given(text=TEXTS, more=TEXTS)
def test_patterns_one_after_another(name: str, text: str, more: str) -> None:
    found = TABLES.setdefault(name, TABLES.get(name) or PretokenTable(SEQUENCES[name]))
    pretokens = [len(pretoken.encode()) for pretoken in cut(SEQUENCES[name], text)]
    assert found.ends_of(text.encode()) == list(accumulate(pretokens))
    settled, _ = found.settled(text.encode())
    now, later = (found.ends_of(one.encode()) for one in (text, text + more))
    assert [end for end in now if end <= settled] == [end for end in later if end <= settled]


@given(
    words=st.lists(st.text("ab\n<1", min_size=1, max_size=5), min_size=1, max_size=12, unique=True),
    text=st.text("ab\n<1", max_size=30),
)
def test_the_longest_of_several_words_is_found(words: list[str], text: str) -> None:
    found = PretokenTable([Split("", gaps=True, atoms=tuple(words))])
    longest_first = sorted(words, key=len, reverse=True)
    pattern = Split("|".join(map(regex.escape, longest_first)), gaps=True)
    assert found.ends_of(text.encode()) == list(accumulate(len(one.encode()) for one in cut([pattern], text)))


def test_more_sets_of_characters_than_a_word_has_bits() -> None:
    words = [chr(0x4E00 + number) + chr(0x5E00 + number) for number in range(80)]
    found = PretokenTable([Split("", gaps=True, atoms=tuple(words))])
    for word, other in zip(words, words[1:] + words[:1], strict=True):
        # (the second text has the first character of one word and the second one of another)
        assert found.ends_of(f"-{word}-".encode()) == [1, 7, 8]
        assert found.ends_of(f"-{word[0]}{other[1]}-".encode()) == [8]


def test_words_share_what_they_end_in() -> None:
    assert len(compile_words([f"<unused{number}>" for number in range(6242)])) < 120
    with pytest.raises(TokenizerError, match="more than 2000 steps"):
        compile_words([f"{number:x}{number * number:x}" for number in range(2000)])


def test_what_stands_for_the_space() -> None:
    found = PretokenTable([Split(r"\s+|_\p{L}+", gaps=True)], space="_")
    assert found.ends_of(b"a b\n c") == [1, 3, 4, 6]
    # `_` itself is in no text, so nothing is settled in bytes that have it
    assert found.settled(b"a b c")[0] == 3 and found.settled(b"a_b c") == (0, 0)
    with pytest.raises(TokenizerError, match="there is no pattern"):
        PretokenTable([])
    with pytest.raises(TokenizerError, match="more than 16 patterns"):
        PretokenTable([Split("a", gaps=True)] * 17)


def test_all_but_the_end_is_settled(covered: Callable[[str], None]) -> None:
    text = b"The quick brown fox, 123456 times; don't  stop\n\n  here   and"
    for name in ("cl100k", "o200k", "llama 3", "gpt2", "qwen 2"):
        settled, _ = table(name).settled(text)
        ends = [0, *table(name).ends_of(text)]
        assert settled == ends[-2]
        covered(f"{name}: {table(name).states} states, {table(name).classes} classes of characters")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"a", "leaves characters out"),
        (r"\p{L}*|\P{L}", "matches the empty text"),
        (r"\p{Greek}+|.", "property 'Greek' is not supported"),
        (r"[^\p{L}&&[^\p{Han}]]", "operations on classes are not supported"),
        (r"[\p{L}&&[^\p{Han}]a]", "only \\[\\^...\\] can be taken out of a class, at its end"),
        (r"[a[b&&[^c]]]", "only plain classes are supported inside a class"),
        (r"\p{Lu}+|[^\p{Lu}]", "supported together only"),
        (r"[a-z&&[b]]", "operations on classes are not supported"),
        (r"\b\w+|\W", r"\\b is not supported"),
        (r"[^\w\W]|a", r"beside others in a class is not supported"),
        (r"\p{w}|\W", r"the property 'w' is not supported"),
        (r"(?<=a)b|[^b]", "this kind of group is not supported"),
        (r"(?!ab)a|[^a]|a", "only one character can be looked ahead to"),
        (r"\s++ |\s|\S", "possessive quantifier before what it may have taken"),
        (r"(?:a", r"expected \)"),
        (r"a)", r"unmatched \)"),
        (r"[a", "the pattern ends too early"),
        (r"[^]]|a", r"\] at the start of a class is not supported"),
        (r"[z-a]", "this range is not supported"),
        (r"a{3,2}|[^a]|a", "repeats must be ascending"),
        (r"a{1000}|[^a]|a", "at most 64"),
        (r"(?:a{60}){60}|[^a]|a", "more than 2000 steps"),
        (r"*a", "not supported here"),
        (r"\p{L}{,3}|\P{L}", r"expected \{m\}"),
    ],
)
def test_what_is_not_read_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(TokenizerError, match=message):
        PretokenTable(pattern)


def test_too_many_states() -> None:
    with pytest.raises(TokenizerError, match="more than 4000 states"):
        PretokenTable(r"[ab]*a[ab]{14}|[ab]|[^ab]")


@pytest.mark.parametrize("data", [b"\xff", b"a\xc3(", b"\xed\xa0\x80", b"\xe4\xb8"])
def test_bytes_that_are_no_text(data: bytes) -> None:
    with pytest.raises(TokenizerError, match="not UTF-8"):
        table("cl100k").ends_of(data)
    if data != b"\xe4\xb8":
        with pytest.raises(TokenizerError, match="no UTF-8 text begins so"):
            table("cl100k").settled(data)


def test_a_program() -> None:
    program = compile_pattern("a+|b")
    assert program[-1].kind == MATCH and sum(step.kind == CHAR for step in program) == 2


@pytest.mark.python_only
def test_properties_are_those_of_tiktoken_and_tokenizers(tmp_path: Path) -> None:
    pytest.importorskip("tiktoken")
    pytest.importorskip("tokenizers")
    packed = tmp_path / "properties.bin"
    assert pack_properties.main([str(packed)]) == 0
    assert packed.read_bytes() == (Path(properties.__file__).parent / "data" / "properties.bin").read_bytes()
    assert pack_properties.main([]) == pack_properties.main([str(tmp_path)]) == 2
    assert properties.property_ranges("Han")[0] == (0x2E80, 0x2E99)


# Patterns that match one character
WORD_PATTERNS = (r"\w", r"\W", r"[\w]", r"[\W]", r"[^\w\s]", r"[\w&&[^\p{Han}]]", r"(?i:\w)")
EVERY_CHARACTER = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)


def up_to_twenty(pattern: str) -> str:
    """Runs of what the pattern matches are cut, and runs of others are not. So the two are told apart."""
    return f"(?:{pattern}){{1,20}}"


def ends_in_every_character(pattern: str, oniguruma: bool) -> list[int]:
    found = PretokenTable([Split(up_to_twenty(pattern), gaps=True, oniguruma=oniguruma)])
    return found.ends_of(EVERY_CHARACTER.encode())


@pytest.mark.parametrize("pattern", WORD_PATTERNS)
def test_word_characters_are_those_of_tiktoken(pattern: str) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    single_bytes = {bytes([value]): value for value in range(256)}
    encoding = tiktoken.Encoding("one", pat_str=pattern, mergeable_ranks=single_bytes, special_tokens={})
    matched = set(bytes(encoding.encode_ordinary(EVERY_CHARACTER)).decode())
    pretokens: list[str] = []
    for inside, run in groupby(EVERY_CHARACTER, matched.__contains__):
        text = "".join(run)
        size = 20 if inside else len(text)
        pretokens += (text[at : at + size] for at in range(0, len(text), size))
    assert ends_in_every_character(pattern, False) == list(accumulate(len(one.encode()) for one in pretokens))


@pytest.mark.parametrize("pattern", WORD_PATTERNS)
def test_word_characters_are_those_of_tokenizers(pattern: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(up_to_twenty(pattern)), "isolated")
    pretokens = (one.encode() for one, _ in split.pre_tokenize_str(EVERY_CHARACTER))
    assert ends_in_every_character(pattern, True) == list(accumulate(map(len, pretokens)))


def test_a_damaged_file_of_properties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(properties, "__file__", str(tmp_path / "properties.py"))
    (tmp_path / "data").mkdir()
    for data in (b"x", zlib.compress(b"Han 1"), zlib.compress(b"Han 1 ?")):
        properties._all_ranges.cache_clear()
        (tmp_path / "data" / "properties.bin").write_bytes(data)
        with pytest.raises(TokenizerError, match="character properties: cannot read"):
            PretokenTable(r"\p{Han}|\P{Han}")
    properties._all_ranges.cache_clear()
