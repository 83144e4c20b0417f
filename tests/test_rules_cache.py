"""The cache of rules: the same rules with it and without, whatever happens to files and entries."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_tokens_huggingface import byte_fallback, byte_level, texts

import ffgrammar as ff
from ffgrammar.core import put_off
from ffgrammar.core.checksum import checksum
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.rules import CanonicalRules
from ffgrammar.tokens.loaders import cached_file, identity, vocabulary_cache
from ffgrammar.tokens.loaders.huggingface_rules import ListedRules
from ffgrammar.tokens.loaders.packed_rules import PackedRules
from ffgrammar.tokens.loaders.vocabulary_cache import DIGEST, MAGIC
from ffgrammar.tokens.vocabulary.trie import TokenTrie

MADE: list[ListedRules] = []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that keeps also small files, and those that were just written. Rules that are made of files are noted."""
    monkeypatch.setenv("FFGRAMMAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cached_file, "MIN_BYTES", 0)
    monkeypatch.setattr(identity, "SETTLED_NS", -(10**12))
    make_packed = ListedRules.make_packed

    def noted(self: ListedRules, trie: TokenTrie) -> tuple[CanonicalRules, PackedRules]:
        MADE.append(self)
        return make_packed(self, trie)

    monkeypatch.setattr(ListedRules, "make_packed", noted)
    MADE.clear()
    return tmp_path / "cache"


@pytest.fixture(params=["byte-level", "byte fallback", "added tokens"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "tokenizer.json"
    found = byte_fallback() if request.param == "byte fallback" else byte_level()
    if request.param == "added tokens":
        found.add_tokens(["<think>"])
    path.write_text(found.to_str())
    return path


def load(path: Path, made: int) -> ff.Tokenizer:
    """Load a file and make its rules, and check how many rules were made of files since the last time."""
    tok = ff.Tokenizer.from_file(path)
    assert tok.canon is not None and len(MADE) == made
    MADE.clear()
    put_off.run_all()
    return tok


def the_entry(folder: Path) -> Path:
    (entry,) = folder.glob("*-rules.vocab")
    return entry


def verdicts(tok: ff.Tokenizer, ids: list[list[int]]) -> list[str]:
    return [ff.is_canonical(tok, one, complete=complete).verdict for one in ids for complete in (True, False)]


def masks(tok: ff.Tokenizer) -> list[bytes]:
    """Canonical masks along a document."""
    schema = {"properties": {"quick": {"type": "string"}}, "required": ["quick"], "additionalProperties": False}
    grammar = ff.compile_json_schema(schema, tok, whitespace="compact")
    plain, matcher = grammar.matcher(), grammar.matcher(canonical=True)
    row = np.zeros((1, (tok.vocab_size + 31) // 32), dtype=np.int32)
    found = []
    for token in tok.encode('{"quick":"the <think> fox"}'):
        matcher.fill_bitmask(row)
        found.append(row.tobytes())
        assert matcher.accept_token(token) == plain.accept_token(token)
    return found


def test_the_same_with_the_cache(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = load(file, 1), load(file, 0), load(file, 0)
    monkeypatch.setenv("FFGRAMMAR_CACHE", "off")
    plain = ff.Tokenizer.from_file(file)
    ids = [plain.encode(text) for text in texts(40)]
    rng = random.Random(3)
    ids += [[rng.randrange(plain.vocab_size) for _ in range(4)] for _ in range(200)]
    for tok in (first, second, third):
        assert [tok.encode(text) for text in texts(40)] == ids[:40]
        assert verdicts(tok, ids) == verdicts(plain, ids)
        assert masks(tok) == masks(plain)


def test_the_first_mask_does_not_wait_for_the_entry(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(put_off, "monotonic", lambda: 100.0)
    tok = ff.Tokenizer.from_file(file)
    masks(tok)
    assert not [*folder.glob("*-rules.vocab")]
    monkeypatch.setattr(put_off, "monotonic", lambda: 100.0 + put_off.DELAY_S)
    assert tok.canon is not None
    the_entry(folder)


def test_an_entry_is_written_at_the_end_of_a_process(file: Path, folder: Path) -> None:
    code = (
        "import sys; import ffgrammar as ff; from ffgrammar.tokens.loaders import cached_file, identity;"
        "cached_file.MIN_BYTES = 0; identity.SETTLED_NS = -(10**12);"
        "assert ff.Tokenizer.from_file(sys.argv[1]).canon"
    )
    subprocess.run([sys.executable, "-c", code, str(file)], check=True)
    the_entry(folder)


def test_rules_need_no_file(file: Path, folder: Path) -> None:
    load(file, 1)
    tok = ff.Tokenizer.from_file(file)
    file.unlink()
    assert tok.canon is not None
    with pytest.raises(TokenizerError, match="is gone or has changed since its vocabulary was loaded"):
        tok.encode("text")


def test_rules_of_a_changed_file_are_made_anew(file: Path, folder: Path) -> None:
    load(file, 1)
    file.write_text(json.dumps(json.loads(file.read_text())))
    load(file, 1)
    load(file, 0)


def test_damaged_entries_are_written_anew(file: Path, folder: Path) -> None:
    load(file, 1)
    entry = the_entry(folder)
    data = entry.read_bytes()
    rng = random.Random(1)
    damaged = [b"", data[:7], data[:50], data[:-1], data + b"x", b"x" + data[1:]]
    for _ in range(10):
        at = rng.randrange(len(data))
        damaged.append(data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :])
    for one in damaged:
        entry.write_bytes(one)
        load(file, 1)
        assert entry.read_bytes() == data


@pytest.fixture
def packed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that no entry gives are packed once, not for each entry: this takes long, and the file is the same."""
    kept: list[PackedRules] = []
    pack = ListedRules._pack

    def once(self: ListedRules) -> PackedRules:
        if not kept:
            kept.append(pack(self))
        return kept[0]

    monkeypatch.setattr(ListedRules, "_pack", once)


@pytest.mark.usefixtures("packed_once")
def test_forged_entries_do_not_crash(file: Path, folder: Path) -> None:
    """The checksum is right, and the rest is not. Only a file of the user's own is read, so this is about crashes."""
    tok = load(file, 1)
    ids = tok.encode("the quick brown fox")
    entry = the_entry(folder)
    rest = entry.read_bytes()[len(MAGIC) + DIGEST :]
    size = int.from_bytes(rest[:4], "little")
    header, words = json.loads(rest[4 : 4 + size]), rest[4 + size :]
    start, end = header["automata_bytes"], header["automata_bytes"] + header["bytes"]
    automata, pairs, parts = words[:start], words[start:end], words[end:]

    def try_entry(fields: dict[str, Any], data: bytes) -> None:
        text = json.dumps(fields).encode()
        sealed = len(text).to_bytes(4, "little") + text + data
        entry.write_bytes(MAGIC + checksum(sealed).to_bytes(DIGEST, "little") + sealed)
        tok = ff.Tokenizer.from_file(file)
        if tok.canon is not None:
            verdicts(tok, [ids, ids[::-1]])

    wrong: list[Any] = [
        None,
        -1,
        3,
        1 << 40,
        "x",
        [],
        [[1]],
        {},
        {"x": 3},
        True,
        [-1] * 256,
        [5] * 256,
        [1 << 40] * 256,
    ]
    for field in header:
        for value in wrong:
            try_entry({**header, field: value}, words)
        try_entry({name: value for name, value in header.items() if name != field}, words)
    rng = random.Random(2)
    for _ in range(60):
        at = rng.randrange(len(pairs))
        try_entry(header, automata + pairs[:at] + bytes([rng.randrange(256)]) + pairs[at + 1 :] + parts)
        at = rng.randrange(len(parts))
        try_entry(header, automata + pairs + parts[:at] + bytes([rng.randrange(256)]) + parts[at + 1 :])
        # (the numbers come first: of classes, ranges, ways and tables)
        at = rng.randrange(len(automata)) if rng.randrange(2) else rng.randrange(8)
        try_entry(header, automata[:at] + bytes([rng.randrange(256)]) + automata[at + 1 :] + pairs + parts)
    for other in (b"", pairs[:-1], pairs[12:], pairs[:120] * 3, pairs[::-1]):
        try_entry({**header, "bytes": len(other)}, automata + other + parts)
    for other in (b"", parts[:-4], parts[::-1], parts[4:] + parts[:4], b"\xff" * len(parts), bytes(len(parts))):
        try_entry(header, automata + pairs + other)
    for other in (b"", automata[:-1], automata * 2, automata[:400], automata[::-1], bytes(len(automata)), bytes(8)):
        try_entry({**header, "automata_bytes": len(other)}, other + pairs + parts)
    MADE.clear()


def test_entries_are_of_no_use_to_other_code() -> None:
    """The key has each file of the code that makes entries, and the library of all compiled code. So a new version
    reads none of an older one."""
    tokens = Path(vocabulary_cache.__file__).parent.parent
    code = {name for name, _, _ in vocabulary_cache._code()}
    for folder in ("loaders", "vocabulary", "bpe", "pretokenize", "pretokenize/data"):
        files = {path for path in (tokens / folder).iterdir() if path.is_file()}
        assert {path.name for path in files if path.suffix not in (".pyx", ".pxd", ".pyi")} <= code
    assert any(name.startswith("cython_shared.") for name in code)
