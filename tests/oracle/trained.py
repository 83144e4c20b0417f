"""Hugging Face tokenizers trained on the spot, of the kinds that models have, and texts for them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from ffgrammar.tokens.loaders.huggingface_units import byte_alphabet
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = [
    "CL100K",
    "KINDS",
    "PLAIN",
    "byte_fallback",
    "byte_level",
    "compare",
    "continuing",
    "make",
    "random_text",
    "some_texts",
]

# Options of sentencepiece with which a model leaves texts as they are
PLAIN: dict[str, Any] = {
    "normalization_rule_name": "identity",
    "remove_extra_whitespaces": False,
    "byte_fallback": True,
    "allow_whitespace_only_pieces": True,
}

CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
LLAMA_3 = (
    rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN = LLAMA_3.replace("{1,3}", "")
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)
HEAD, TAIL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{HEAD}*{TAIL}+{CONTRACTIONS}?|[^\r\n\p{{L}}\p{{N}}]?{HEAD}+{TAIL}*{CONTRACTIONS}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
NESTED = " ?[^(\\s|[.,!?\u2026\u3002\uff0c])]+"
KIMI = (
    rf"[\p{{Han}}]+|[^\r\n\p{{L}}\p{{N}}]?{HEAD[:-1]}&&[^\p{{Han}}]]*{TAIL[:-1]}&&[^\p{{Han}}]]+{CONTRACTIONS}?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{HEAD[:-1]}&&[^\p{{Han}}]]+{TAIL[:-1]}&&[^\p{{Han}}]]*{CONTRACTIONS}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# (in a class, Oniguruma's \w is another one)
WORDS = r" ?\w[\w'\-]*|\W(?!\w)|[^\w\s]+|\s+(?!\S)|\s+"
ADDED = ["<think>", "</think>", "<tool_call>", "\n\n", "\n\n\n", "\uff5c\u4e2d\uff5c", "ther", "<think>x"]

PARTS = [
    *" \n\t'Ab1!/\u4e2d\u0301\u00a0\r\x00<>|", "  ", "   ", "\r\n", "\n\n", "\n\n\n", "'s", "'ll", "'LL", "'\u017f",
    "//", "22", "\u0663", "4567", "don", "word", "Xy", "the", " and", " a", "ing", "x", "er", "\u00c9", "\u2026",
    "\u02b0", "\u65e5\u672c", "\u30ab\u30ca", "\u2028", "\U0001f44d", "\U0001f642", "\u0928\u092e\u0938\u094d",
    "\u043f\u0440\u0438\u0432\u0435", "\u2167", "\u00bd", "\x85", "\u3000", "\ufffd", "\U0010ffff", "\u2581",
    "\u2581\u2581", "<0x41>", "<s>", "<|user|>", "<|user|>x", "<|endoftext|>", "<tool><", "<tool>", "\u00df", "\u01c5",
    "\u200d", "def ", " self.", *ADDED,
]  # fmt: skip


def random_text(random: Random, most: int) -> str:
    """A text of parts that pre-tokenizers and merges tell apart, and now and then any character."""
    found = []
    for _ in range(random.randrange(1, most)):
        if random.random() < 0.05:
            code = random.randrange(0x110000)
            found.append(chr(code) if not 0xD800 <= code < 0xE000 else "\ud7ff")
        else:
            found.append(random.choice(PARTS))
    return "".join(found)


@cache
def _sources() -> tuple[Path, ...]:
    return tuple(sorted(Path(os.__file__).parent.rglob("*.py")))


def some_texts(size: int, seed: int = 0) -> Iterator[str]:
    """At least `size` bytes of text: sources that come with Python, and random ones."""
    random = Random(seed)
    files = list(_sources())
    random.shuffle(files)
    while size > 0:
        for path in files:
            for text in (path.read_text(encoding="utf-8", errors="ignore")[:20_000], random_text(random, 300)):
                size -= len(text.encode())
                yield text
            if size <= 0:
                return


@cache
def _corpus() -> list[str]:
    # The names of special tokens, and of tokens for a byte, must not be learned from ordinary text.
    random = Random(1)
    found = [*some_texts(300_000, 1), *(random_text(random, 100) for _ in range(500))]
    return [text.replace("\u2581", "").replace("<s>", "").replace("<0x", "").replace("<|", "") for text in found]


_TRAINED: dict[tuple[Any, ...], str] = {}


def _train(tok: Any, trainer: Any, *sizes: int) -> dict[str, Any]:
    """The tokenizer.json of a tokenizer trained on the corpus. Training takes long: each pre-tokenizer has it once."""
    key = (tok.pre_tokenizer.__getstate__(), *sizes)
    if key not in _TRAINED:
        tok.train_from_iterator(_corpus(), trainer)
        _TRAINED[key] = tok.to_str()
    found: dict[str, Any] = json.loads(_TRAINED[key])
    return found


def byte_level(pre_tokenizer: Any, size: int = 1500, ignore_merges: bool = False, added: tuple[str, ...] = ()) -> Any:
    """A tokenizer on bytes, with two special tokens."""
    import tokenizers

    tok = tokenizers.Tokenizer(tokenizers.models.BPE())
    tok.pre_tokenizer = pre_tokenizer
    tok.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=["<|endoftext|>", "<|user|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    config = _train(tok, trainer, size)
    config["model"]["ignore_merges"] = ignore_merges
    tok = tokenizers.Tokenizer.from_str(json.dumps(config))
    tok.add_tokens(list(added))
    return tok


def byte_fallback(
    changes: dict[str, Any], train: Any = None, size: int = 1500, alphabet: int = 150, added: tuple[Any, ...] = ()
) -> Any:
    """A tokenizer on characters, with a token for each byte; `changes` are made in its tokenizer.json."""
    import tokenizers

    names = ["<unk>", "<s>", "</s>"]
    trained = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = train or tokenizers.pre_tokenizers.Metaspace(prepend_scheme="never")
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size, special_tokens=names, limit_alphabet=alphabet, show_progress=False
    )
    config = _train(trained, trainer, size, alphabet)
    words = config["model"]["vocab"]
    vocab = {name: number for number, name in enumerate(names)}
    for value in range(256):
        vocab[f"<0x{value:02X}>"] = len(vocab)
    for word in sorted(words, key=words.get):
        vocab.setdefault(word, len(vocab))
    vocab.setdefault("\u2581", len(vocab))
    config["model"] |= {"vocab": vocab, "byte_fallback": True, "fuse_unk": True}
    config["decoder"] = {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    }
    config |= {"pre_tokenizer": None, "normalizer": None} | changes
    tok = tokenizers.Tokenizer.from_str(json.dumps(config))
    tok.add_tokens(list(added))
    return tok


def with_other_merges(tok: Any, seed: int, dropped: float, swapped: float) -> Any:
    """The tokenizer with some merges left out and others swapped. So some tokens are made by no merge."""
    config = json.loads(tok.to_str())
    random = Random(seed)
    merges = [merge for merge in config["model"]["merges"] if random.random() >= dropped]
    for place in range(len(merges)):
        if random.random() < swapped:
            other = random.randrange(len(merges))
            merges[place], merges[other] = merges[other], merges[place]
    config["model"]["merges"] = merges
    return type(tok).from_str(json.dumps(config))


def with_long_tokens(tok: Any) -> Any:
    """The tokenizer with tokens of up to 512 spaces and 512 hyphens."""
    config = json.loads(tok.to_str())
    vocab, merges = config["model"]["vocab"], config["model"]["merges"]
    for letter in ("\u0120", "-"):
        for size in (1, 2, 4, 8, 16, 32, 64, 128, 256):
            if letter * 2 * size not in vocab:
                vocab[letter * 2 * size] = max(vocab.values()) + 1
                merges.append([letter * size, letter * size])
    return type(tok).from_str(json.dumps(config))


def without_bytes(tok: Any, values: bytes) -> Any:
    """The tokenizer without the tokens that have some bytes."""
    config = json.loads(tok.to_str())
    model = config["model"]
    left_out = {letter for letter, value in byte_alphabet().items() if value in values}
    model["vocab"] = {name: number for name, number in model["vocab"].items() if left_out.isdisjoint(name)}
    model["merges"] = [merge for merge in model["merges"] if left_out.isdisjoint("".join(merge))]
    return type(tok).from_str(json.dumps(config))


REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
PREPEND = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "\u2581"}, REPLACE]}


def _metaspace(split: bool) -> dict[str, Any]:
    return {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": split}


def _metaspace_of(split: bool) -> Any:
    from tokenizers.pre_tokenizers import Metaspace

    return Metaspace(prepend_scheme="never", split=split)


def _not_normalized(*texts: str) -> list[Any]:
    from tokenizers import AddedToken

    return [AddedToken(text, normalized=False) for text in texts]


def _sequence(*members: Any) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(members)}


def _split(pattern: Any, behavior: str = "isolated", invert: bool = False) -> Any:
    from tokenizers.pre_tokenizers import Split

    return Split(pattern, behavior, invert)


def _before(*steps: Any) -> Any:
    """A pre-tokenizer: these steps, and then the step that writes bytes as letters."""
    from tokenizers.pre_tokenizers import ByteLevel, Sequence

    return Sequence([*steps, ByteLevel(add_prefix_space=False, use_regex=False)])


def _gpt2(*steps: Any) -> Any:
    from tokenizers.pre_tokenizers import ByteLevel, Sequence

    return Sequence([*steps, ByteLevel(add_prefix_space=True)])


def _regex(source: str) -> Any:
    from tokenizers import Regex

    return Regex(source)


def _digits(individual: bool) -> Any:
    from tokenizers.pre_tokenizers import Digits

    return Digits(individual_digits=individual)


def _normalized(tok: Any, *names: str) -> Any:
    from tokenizers import normalizers

    steps = [getattr(normalizers, name)() for name in names]
    tok.normalizer = normalizers.Sequence(steps) if len(steps) > 1 else steps[0]
    return tok


KINDS: dict[str, Callable[[], Any]] = {
    "gpt2": lambda: byte_level(_gpt2()),
    "qwen": lambda: _normalized(byte_level(_before(_split(_regex(QWEN))), added=("<think>", "ther")), "NFC"),
    "claude": lambda: _normalized(byte_level(_gpt2()), "NFKC"),
    "lower case": lambda: _normalized(
        byte_level(_before(_split(_regex(LLAMA_3))), added=("<think>", "ther")), "Lowercase", "NFC"
    ),
    "lower case on characters": lambda: byte_fallback(
        {"normalizer": {"type": "Sequence", "normalizers": [{"type": "Lowercase"}, REPLACE]}}, added=(" a", "t\u2581h")
    ),
    "llama 3": lambda: byte_level(_before(_split(_regex(LLAMA_3))), ignore_merges=True),
    "cl100k": lambda: byte_level(_before(_split(_regex(CL100K), "removed", True))),
    "o200k": lambda: byte_level(_before(_split(_regex(O200K))), ignore_merges=True),
    "deepseek": lambda: byte_level(
        _before(
            _split(_regex(r"\p{N}{1,3}")),
            _split(_regex("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+")),
            _split(_regex(DEEPSEEK)),
        )
    ),
    "digits": lambda: byte_level(_gpt2(_digits(True))),
    "nested classes": lambda: byte_level(_before(_split(_regex(NESTED)), _split(_regex(r"\d")))),
    "classes taken out": lambda: byte_level(_before(_split(_regex(KIMI)))),
    "word characters": lambda: byte_level(_before(_split(_regex(WORDS)), _split(_regex(r"\W"), "contiguous"))),
    "long tokens": lambda: with_long_tokens(byte_level(_gpt2())),
    "missing bytes": lambda: without_bytes(byte_level(_gpt2(_digits(True))), b"\x03\x0b\xf2"),
    "numbers": lambda: byte_level(_gpt2(_digits(False))),
    "whole text": lambda: byte_level(_before(), size=3000),
    "lines": lambda: byte_level(_before(_split("\n\n"), _split(_regex(r"[ \n]"), "contiguous"))),
    "words": lambda: byte_level(_before(_split(" ", "merged_with_next"), _split("e", "merged_with_previous"))),
    "added": lambda: byte_level(_gpt2(), added=(*ADDED, " a")),
    "overlapping": lambda: byte_level(_gpt2(), added=("<tool><", "er|>x", *_not_normalized("Xy"))),
    "added llama 3": lambda: byte_level(_before(_split(_regex(LLAMA_3))), ignore_merges=True, added=tuple(ADDED[:4])),
    "whole pre-tokens": lambda: with_other_merges(
        byte_level(_before(_split(_regex(LLAMA_3))), ignore_merges=True), 1, 0.03, 0.01
    ),
    "odd merges": lambda: with_other_merges(byte_level(_gpt2()), 2, 0.02, 0.05),
    "odd characters": lambda: with_other_merges(byte_fallback({"normalizer": PREPEND}), 3, 0.02, 0.05),
    "llama 2": lambda: byte_fallback({"normalizer": PREPEND}),
    "metaspace": lambda: byte_fallback({"pre_tokenizer": _metaspace(True)}),
    "mistral": lambda: byte_fallback({"pre_tokenizer": _metaspace(False)}, size=3000),
    "metaspace and digits": lambda: byte_fallback(
        {"pre_tokenizer": _sequence(_metaspace(True), {"type": "Digits", "individual_digits": True})}
    ),
    "gemma": lambda: byte_fallback(
        {
            "normalizer": REPLACE,
            "pre_tokenizer": {
                "type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False
            },
        },
        added=tuple(_not_normalized("\n\n", "\n\n\n", "<table>", "\u2581\u2581", "\u2581\u2581\u2581")),
        train=_metaspace_of(False),
    ),
    "added spaces": lambda: byte_fallback({"normalizer": REPLACE}, added=("\u2581\u2581", " a", "\n\n", "t\u2581h")),
    "found spaces": lambda: byte_fallback(
        {"pre_tokenizer": _metaspace(True)}, added=("\u2581\u2581", " a", "\n\n", "  ", "the the")
    ),
    "few characters": lambda: byte_fallback({"normalizer": REPLACE}, size=800, alphabet=30),
}  # fmt: skip

_MADE: dict[str, tuple[Any, Tokenizer]] = {}


def make(kind: str) -> tuple[Any, Tokenizer]:
    """(the tokenizer as the package `tokenizers` has it, and as read here), made once."""
    if kind not in _MADE:
        hf = KINDS[kind]()
        tok = Tokenizer.from_huggingface(hf)
        assert tok.canon is not None, kind
        hf = type(hf).from_str(json.dumps(continuing(json.loads(hf.to_str()))))
        hf.encode_special_tokens = True
        _MADE[kind] = hf, tok
    return _MADE[kind]


def continuing(config: dict[str, Any]) -> dict[str, Any]:
    """The configuration of a tokenizer for the continuation of a text: it puts no space before its text."""
    text = json.dumps(config).replace('"add_prefix_space": true', '"add_prefix_space": false')
    text = text.replace('"prepend_scheme": "first"', '"prepend_scheme": "never"')
    found: dict[str, Any] = json.loads(text.replace('{"type": "Prepend", "prepend": "\\u2581"}, ', ""))
    return found


def compare(hf: Any, tok: Tokenizer, size: int, seed: int = 2) -> int:
    """Encode texts with both until `size` bytes are done. Returns how many were. AssertionError if tokens differ."""
    done = 0
    for text in some_texts(size, seed):
        expected = hf.encode(text, add_special_tokens=False).ids
        found = tok.encode(text)
        if found != expected:
            where = next(i for i, token in enumerate(found) if expected[i : i + 1] != [token])
            before = tok.decode(found[:where])
            raise AssertionError((before[-40:], found[where : where + 8], expected[where : where + 8]))
        done += len(text.encode())
    return done
