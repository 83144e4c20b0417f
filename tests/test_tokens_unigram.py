"""Unigram models: the best path against an oracle, and whole tokenizers against the packages that they come from."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from test_tokens_gguf import load as load_gguf

import ffgrammar as ff
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.sentencepiece_model import NORMAL, SPACE, USER_DEFINED, Model, parse_model
from ffgrammar.tokens.report import is_canonical
from ffgrammar.tokens.unigram.best_path import BestPath
from ffgrammar.tokens.unigram.charsmap import Charsmap
from ffgrammar.tokens.vocabulary.trie import TokenTrie
from oracle.trained import PLAIN, random_text, some_texts
from oracle.unigram import best_path, words

# What makes models of sentencepiece that differ
MODELS: dict[str, dict[str, Any]] = {
    "plain": PLAIN,
    "t5": {},
    "t5 with bytes": {"byte_fallback": True},
    "lower case": {"normalization_rule_name": "nmt_nfkc_cf"},
    "symbols": {"user_defined_symbols": ["<tool>", "abc", "\u00c9x", "a\nb"], **PLAIN},
    "t5 with symbols": {"user_defined_symbols": ["<tool>", "abc", "\u00c9x", "a\nb"]},
    "pieces of several words": {"split_by_whitespace": False, **PLAIN},
    "no dummy prefix": {"add_dummy_prefix": False, **PLAIN},
    "spaces after words": {"treat_whitespace_as_suffix": True, **PLAIN},
}
NAMES = re.compile("<s>|</s>|<unk>")


@pytest.fixture(scope="module")
def models() -> Callable[[str], bytes]:
    sentencepiece = pytest.importorskip("sentencepiece")
    made: dict[str, bytes] = {}
    texts = [line for text in some_texts(80_000) for line in text.splitlines() if line.strip()]

    def make(name: str) -> bytes:
        if name not in made:
            out = io.BytesIO()
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(texts),
                model_writer=out,
                vocab_size=900,
                hard_vocab_limit=False,
                model_type="unigram",
                minloglevel=9,
                **MODELS[name],
            )
            made[name] = out.getvalue()
        return made[name]

    return make


def load(data: bytes | dict[str, Any], folder: Path) -> ff.Tokenizer:
    if isinstance(data, dict):
        path = folder / "tokenizer.json"
        path.write_text(json.dumps(data))
        return ff.Tokenizer.from_file(path)
    path = folder / "tokenizer.model"
    path.write_bytes(data)
    return ff.Tokenizer.from_file(path)


@cache
def texts(count: int, seed: int = 0) -> list[str]:
    random = Random(seed)
    found = [random_text(random, 60) for _ in range(count)]
    found += [" " * size for size in range(20)] + [
        "abcabc <tool>  abc\u00e9\n\t  ",
        "\U0001f642\u4e2d",
        "a\nb \u00c9x\u0301",
    ]
    return [text.replace("\0", "") for text in found] + list(some_texts(60_000, 4))


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("with_bytes", [False, True])
def test_the_best_path(single: bool, with_bytes: bool) -> None:
    random = Random(3)
    for _ in range(60):
        letters = "ab \u00e9\u4e2d"
        names = {
            "".join(random.choice(letters) for _ in range(random.randrange(1, 5)))
            for _ in range(random.randrange(1, 25))
        }
        # (few different scores, so that paths have equal sums; and some that 32 bits round)
        scores = {name: random.choice([-1.0, -2.0, -3.0, -0.1, -1e-9, -7.3]) for name in sorted(names)}
        pieces = {name: (2 + number, float(np.float32(score))) for number, (name, score) in enumerate(scores.items())}
        tokens: list[bytes | None] = [None, None, *(name.encode() for name in scores)]
        first = len(tokens)
        tokens += [bytes([value]) for value in range(256)]
        table = np.full(len(tokens), np.nan)
        for number, score in pieces.values():
            table[number] = score
        worst = float(np.nanmin(table))
        given = list(range(first, first + 256)) if with_bytes else None
        trie = TokenTrie(tokens)
        for by_words in (False, True):
            path = BestPath(trie, table, worst - 10, 1, given, single, by_words)
            for _ in range(30):
                text = "".join(random.choice(letters + "xx") for _ in range(random.randrange(20)))
                parts = words(text) if by_words else [text]
                expected = [one for part in parts for one in best_path(part, pieces, worst, 1, single, given)]
                assert path.encode(text.encode()) == expected, (text, pieces)


@pytest.mark.parametrize("name", MODELS)
def test_sentencepiece(name: str, models: Callable[[str], bytes], tmp_path: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    tok = load(models(name), tmp_path)
    reference = sentencepiece.SentencePieceProcessor()
    reference.LoadFromSerializedProto(models(name))
    assert tok.vocab_size == reference.vocab_size() and tok.eos_token_ids == (reference.eos_id(),)
    assert tok.canon is None and "unigram" in (tok.canon_reason or "")
    assert tok.adds_prefix_space == (name != "no dummy prefix")
    # (the long texts are there because sums of 32 bits begin anew at zero now and then)
    for text in [*texts(800), "x\u4e2d" * 60_000, "ab c" * 20_000]:
        # the package removes a space at the start of a text, and then puts one there; here neither is done
        if name == "spaces after words":
            expected = tok.encode(text + " " if text else "")
        else:
            expected = tok.encode(" " + text if text and tok.adds_prefix_space else text)
        assert expected == reference.encode(text), text
    for text in texts(100):
        # where texts end inside a character, bytes that are not UTF-8 are U+FFFD
        assert tok.encode(text.encode() + b"\xe4\xb8") == tok.encode(text + "\ufffd")


def config_of(model: Model, normalizers: list[Any], pre_tokenizer: Any) -> dict[str, Any]:
    """The tokenizer.json of a model of sentencepiece."""
    names = [number for number, piece in enumerate(model.pieces) if piece.text in ("<s>", "</s>", "<unk>")]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": one, "content": model.pieces[one].text, "special": True, **flags} for one in names],
        "normalizer": {"type": "Sequence", "normalizers": normalizers} if normalizers else None,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": 0,
            "vocab": [[piece.text, piece.score] for piece in model.pieces],
            "byte_fallback": model.byte_fallback,
        },
    }


def precompiled(model: Model) -> dict[str, Any]:
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(model.charsmap).decode()}


METASPACE = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True}
# (as earlier versions of the package wrote it)
OLD_METASPACE = {"type": "Metaspace", "replacement": SPACE, "add_prefix_space": True}
WORDS = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, METASPACE]}
JOINED = [
    {"type": "Strip", "strip_left": False, "strip_right": True},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": SPACE},
]
# By name: the model, the normalizers, the pre-tokenizer, and whether plain texts are encoded without the package
CONFIGS: dict[str, tuple[str, Callable[[Model], list[Any]], Any, bool]] = {
    "t5": ("t5", lambda model: [precompiled(model), *JOINED], METASPACE, True),
    "xlm-r": ("t5", lambda model: [precompiled(model)], WORDS, True),
    "xlm-r, as it was": (
        "t5",
        lambda model: [precompiled(model)],
        {**WORDS, "pretokenizers": [WORDS["pretokenizers"][0], OLD_METASPACE]},
        True,
    ),
    "t5, as it was": ("t5", lambda model: [precompiled(model)], OLD_METASPACE, True),
    "with bytes": ("plain", lambda _: [], METASPACE, True),
    "not cut": (
        "plain",
        lambda _: [
            {"type": "Prepend", "prepend": SPACE},
            {"type": "Replace", "pattern": {"String": " "}, "content": SPACE},
        ],
        None,
        True,
    ),
    "lower case": ("t5", lambda model: [{"type": "Lowercase"}, precompiled(model), *JOINED], METASPACE, False),
    "spaces joined, not removed": ("t5", lambda model: [precompiled(model), JOINED[1]], METASPACE, False),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_hugging_face(
    name: str, models: Callable[[str], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    kind, normalizers, before, own = CONFIGS[name]
    model = parse_model(tmp_path, models(kind))
    config = config_of(model, normalizers(model), before)
    tok = load(config, tmp_path)
    assert tok.adds_prefix_space and tok.strips_first_space and "unigram" in (tok.canon_reason or "")
    assert tok.special_tokens == {"<unk>": 0, "<s>": 1, "</s>": 2} and tok.eos_token_ids == (2,)
    reference = tokenizers.Tokenizer.from_str(json.dumps(config))
    for text in texts(800):
        # (the package finds special tokens by their names)
        text = NAMES.sub("", text)
        normal = reference.normalizer.normalize_str(text) if reference.normalizer else text
        # (Metaspace puts no space before a text that begins with one)
        begins = normal[:1] in (" ", SPACE) and name not in ("t5", "xlm-r", "xlm-r, as it was", "not cut")
        if normal and not begins:
            assert tok.encode(" " + text) == reference.encode(text, add_special_tokens=False).ids, text
    if own:
        # without the package
        monkeypatch.setitem(sys.modules, "tokenizers", None)
        again = load(config, tmp_path)
        for text in some_texts(100_000, 5):
            if text.isascii():
                assert again.encode(text) == tok.encode(text)


@pytest.mark.parametrize("name", ["t5", "with bytes", "lower case"])
def test_names_of_special_tokens_are_text(name: str, models: Callable[[str], bytes], tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    kind, normalizers, before, _ = CONFIGS[name]
    model = parse_model(tmp_path, models(kind))
    tok = load(config_of(model, normalizers(model), before), tmp_path)
    for text in ("x</s>", "a<s>b", "<s>\u2581", "</s>\ufb01"):
        ids = tok.encode(text)
        assert not {1, 2} & set(ids), text
        assert tok.encode(text, special="allow") != ids
    if name == "with bytes":
        assert tok.decode(tok.encode("x</s><unk>")) == b"x</s><unk>"


def test_added_tokens_are_left_to_the_package(models: Callable[[str], bytes], tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    model = parse_model(tmp_path, models("plain"))
    config = config_of(model, [], METASPACE)
    config["added_tokens"].append(
        {**config["added_tokens"][0], "id": len(model.pieces), "content": "<tool>", "special": False}
    )
    tok = load(config, tmp_path)
    # (Metaspace would put a space after an added token, too)
    config["pre_tokenizer"] = METASPACE | {"prepend_scheme": "never"}
    reference = tokenizers.Tokenizer.from_str(json.dumps(config))
    assert tok.encode(" a<tool>b") == reference.encode(" a<tool>b", add_special_tokens=False).ids
    assert len(model.pieces) in tok.encode(" a<tool>b")


@pytest.mark.parametrize("name", ["plain", "t5", "t5 with symbols"])
def test_gguf(name: str, models: Callable[[str], bytes], tmp_path: Path) -> None:
    """llama.cpp sums with 64 bits, as the package `tokenizers` does, and has no tokens for bytes."""
    tokenizers = pytest.importorskip("tokenizers")
    model = parse_model(tmp_path, models(name))
    fields: dict[str, Any] = {
        "model": "t5",
        "tokens": [piece.text for piece in model.pieces],
        "scores": [piece.score for piece in model.pieces],
        "token_type": [piece.kind for piece in model.pieces],
        "eos_token_id": 2,
        "unknown_token_id": 0,
    }
    if model.charsmap:
        fields |= {"precompiled_charsmap": list(model.charsmap), "remove_extra_whitespaces": True}
    tok = load_gguf(fields, tmp_path)
    assert tok.eos_token_ids == (2,) and tok.adds_prefix_space and "unigram" in (tok.canon_reason or "")
    if name != "t5 with symbols":
        whole = ("not cut", "xlm-r")[bool(model.charsmap)]
        _, normalizers, before, _ = CONFIGS[whole]
        config = config_of(model._replace(byte_fallback=False), normalizers(model), before)
        if name == "plain":
            config["model"]["vocab"] = [
                [text if piece.kind == NORMAL else f"\U0010ffff{text}", score]
                for piece, (text, score) in zip(model.pieces, config["model"]["vocab"], strict=True)
            ]
            config["added_tokens"] = []
        reference = tokenizers.Tokenizer.from_str(json.dumps(config))
        for text in some_texts(100_000, 6):
            if text and text.isascii() and not text.startswith(" "):
                assert tok.encode(" " + text) == reference.encode(text, add_special_tokens=False).ids, text
    for number, piece in enumerate(model.pieces):
        if piece.kind == USER_DEFINED:
            assert tok.encode(f"x{piece.text}x").count(number) == 1
    if model.charsmap:
        with pytest.raises(TokenizerError, match="how this model normalizes"):
            tok.encode("a \u2581")


def test_forced_tokens_and_words(models: Callable[[str], bytes], tmp_path: Path) -> None:
    tok = load(models("t5"), tmp_path)
    text = " import the self return"
    assert tok.pretoken_ends(text.encode()) == [7, 11, 16, 23]
    assert tok.pretoken_ends(b"a  b") is None and tok.pretoken_ends(b"") == []
    report = is_canonical(tok, tok.encode(text), complete=False)
    assert report.settled == len(tok.encode(" import the")) and report.verdict == "undecided"
    assert is_canonical(tok, tok.encode(text))
    letters = [tok.encode(" " + letter)[-1] for letter in "im"]
    assert is_canonical(tok, [*letters, *tok.encode("port the self return")], complete=False).verdict != "yes"
    matcher = ff.compile_regex(" import the self (return|raise)", tok).matcher()
    forced = matcher.forced_tokens()
    assert forced == tok.encode(" import the self") and matcher.accept_tokens(forced) == len(forced)
    # the next token is one of two words, or their beginnings
    assert {tok.token_bytes(token)[:3] for token in matcher.allowed_token_ids().tolist()} <= {
        b" ",
        b" r",
        b" re",
        b" ra",
    }


def test_masks_have_no_token_without_text(models: Callable[[str], bytes], tmp_path: Path) -> None:
    tok = load(models("t5 with bytes"), tmp_path)
    allowed = set(ff.compile_regex("(?s:.*)", tok).matcher().allowed_token_ids().tolist())
    assert not allowed & {0, 1} and 2 in allowed
    assert tok.token_bytes(3 + 0x41) == b"A" and 3 + 0x41 in allowed


def test_a_damaged_map(models: Callable[[str], bytes]) -> None:
    charsmap = parse_model(Path("model"), models("t5")).charsmap
    for wrong in (b"x", b"\0\0\0\0\0", charsmap[:-1], b"\xff\xff\xff\x7f" + charsmap[4:], b"\x05\0\0\0" + bytes(9)):
        with pytest.raises(TokenizerError, match="map of characters is damaged"):
            Charsmap(wrong)
    random = Random(1)
    for _ in range(200):
        changed = bytearray(charsmap)
        for _ in range(50):
            changed[random.randrange(4, len(changed) - 1)] = random.randrange(256)
        for text in ("e\u0301 x\n\ufb01", random_text(random, 30)):
            Charsmap(bytes(changed)).apply(text.encode("utf-8", "ignore"))
    assert Charsmap(charsmap).apply("\ufb01\n".encode()) == b"fi " and Charsmap(charsmap).is_normal(b"a b")
    assert Charsmap(charsmap, ["\ufb01".encode()]).apply("\ufb01\n".encode()) == "\ufb01 ".encode()


def test_no_package_is_needed(models: Callable[[str], bytes], tmp_path: Path) -> None:
    (tmp_path / "tokenizer.model").write_bytes(models("t5"))
    code = (
        "import sys; sys.modules['sentencepiece'] = None\n"
        "from ffgrammar.tokens.tokenizer import Tokenizer\n"
        f"tok = Tokenizer.from_file({str(tmp_path)!r})\n"
        "print(tok.decode(tok.encode(' self.x \\n def')))\n"
    )
    lines = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines == ["b' self.x def'"]


def test_characters_that_no_token_can_write() -> None:
    trie = TokenTrie([b"a"])
    with pytest.raises(TokenizerError, match="does not know"):
        BestPath(trie, np.zeros(1), -10.0, None, None, False, False).encode(b"ab")
    with pytest.raises(TokenizerError, match="1024 bytes"):
        BestPath(TokenTrie([b"a" * 1025]), np.zeros(1), -10.0, None, None, False, False)


def test_ties_are_decided_by_the_last_bit(tmp_path: Path) -> None:
    """All ways to write a run have nearly the same sum, with scores of 32 bits and with scores of many digits."""
    tokenizers = pytest.importorskip("tokenizers")
    random = Random(5)
    differ = 0
    for _ in range(40):
        scores = [round(-random.uniform(1, 20), 17) for _ in range(3)]
        if random.random() < 0.5:
            scores = [float(np.float32(score)) for score in scores]
        pieces = [["<unk>", 0.0], ["</s>", 0.0], ["b", -3.3], *map(list, zip(("a", "aa", "aaa"), scores, strict=True))]
        hf = tokenizers.Tokenizer(tokenizers.models.Unigram([tuple(piece) for piece in pieces], 0))
        hf.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="never")
        hf.decoder = tokenizers.decoders.Metaspace()
        hf.add_special_tokens(["</s>"])
        (tmp_path / "tokenizer.json").write_text(json.dumps(json.loads(hf.to_str())))
        from_text = tokenizers.Tokenizer.from_str((tmp_path / "tokenizer.json").read_text())
        read, given = ff.Tokenizer.from_file(tmp_path), ff.Tokenizer.from_huggingface(hf)
        for size in range(1, 40):
            for text in ("a" * size, "b" + "a" * size, "ba" * size):
                assert given.encode(text) == hf.encode(text).ids, (text, scores)
                assert read.encode(text) == from_text.encode(text).ids, (text, scores)
                differ += given.encode(text) != read.encode(text)
    assert differ > 0


@pytest.mark.parametrize("name", ["plain", "t5", "t5 with bytes"])
def test_forced_tokens_come_in_all_sentences(name: str, models: Callable[[str], bytes], tmp_path: Path) -> None:
    tok = load(models(name), tmp_path)
    random = Random(6)
    parts = [" self", " return", "x", "\u4e2d", " the", "ing", "(", ")", " a", "1", "er"]
    count = 0
    for _ in range(300):
        start = " " + "".join(random.choice(parts) for _ in range(random.randrange(1, 6))).strip()
        ends = [
            "".join(random.choice(parts) for _ in range(random.randrange(4))) for _ in range(random.randrange(1, 4))
        ]
        sentences = sorted({start + end for end in ends})
        matcher = ff.compile_choice(sentences, tok).matcher()
        expected = [[*tok.encode(sentence), *tok.eos_token_ids] for sentence in sentences]
        done: list[int] = []
        while forced := matcher.forced_tokens():
            done += forced
            count += len(forced)
            assert matcher.accept_tokens(forced) == len(forced)
            assert all(ids[: len(done)] == done for ids in expected), (sentences, done)
            done.append(random.choice([ids for ids in expected if len(ids) > len(done)] or [[-1] * 99])[len(done)])
            if done[-1] < 0:
                break
            assert matcher.accept_token(done[-1])
            expected = [ids for ids in expected if ids[: len(done)] == done]
    assert count > 300


@pytest.mark.parametrize("name", ["plain", "t5", "pieces of several words"])
def test_settled_tokens_stay(name: str, models: Callable[[str], bytes], tmp_path: Path) -> None:
    tok = load(models(name), tmp_path)
    random = Random(7)
    parts = [" self", " return", "x", "\u4e2d", " the", "ing", "(", ")", " a", "1", "er", "\u0301", "\n", "  "]
    settled = 0
    for _ in range(1500):
        text, more = ("".join(random.choice(parts) for _ in range(random.randrange(9))) for _ in range(2))
        report = is_canonical(tok, tok.encode(text), complete=False)
        if 0 in report.given:
            continue  # a character without a token is not in the text of the tokens
        text = tok.decode(report.given).decode()
        assert tok.encode(text + more)[: report.settled] == list(report.expected[: report.settled]), (text, more)
        settled += report.settled
    assert (settled > 0) == (name != "pieces of several words")


def test_damaged_models(models: Callable[[str], bytes], tmp_path: Path) -> None:
    data = models("t5 with symbols")
    random = Random(8)
    loaded = 0
    for _ in range(300):
        changed = bytearray(data)
        for _ in range(random.randrange(1, 6)):
            # (the settings are at the end)
            place = random.choice((random.randrange(1, len(data)), random.randrange(len(data) - 40, len(data))))
            changed[place] = random.randrange(256)
        try:
            tok = load(bytes(changed), tmp_path)
            tok.encode(" self.\u00e9 <tool> \u4e2d\n")
        except TokenizerError:
            continue
        loaded += 1
    assert 100 < loaded < 300


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("model", "vocab"), [["a"]]),
        (("model", "vocab"), [["a", "b"]]),
        (("model", "vocab"), [[1, 2]]),
        (("model", "vocab"), []),
        (("model", "vocab"), [["a", 10**4000]]),
        (("model", "unk_id"), 10**9),
        (("model", "unk_id"), "x"),
        (("normalizer",), {"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        (("normalizer",), {"type": "Precompiled"}),
        (("normalizer",), {"type": "Precompiled", "precompiled_charsmap": "\u00e9"}),
    ],
)
def test_damaged_files(path: tuple[str, ...], value: Any, models: Callable[[str], bytes], tmp_path: Path) -> None:
    config = config_of(parse_model(tmp_path, models("t5")), [], METASPACE)
    part = config
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    with pytest.raises(TokenizerError, match=r"tokenizer\.json"):
        load(config, tmp_path)
