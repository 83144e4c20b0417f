"""The cache of vocabularies: the same tokenizer with it and without, whatever happens to files and entries."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from test_tokens_huggingface import byte_fallback, byte_level, texts

from ffgrammar.core.checksum import checksum
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders import build, cached_file, identity, vocabulary_cache
from ffgrammar.tokens.loaders.build import build_parts
from ffgrammar.tokens.loaders.vocabulary_cache import DIGEST, MAGIC, cache_folder
from ffgrammar.tokens.tokenizer import Tokenizer

BUILDS: list[Any] = []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that keeps also small files, and those that were just written."""
    monkeypatch.setenv("FFGRAMMAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cached_file, "MIN_BYTES", 0)
    monkeypatch.setattr(identity, "SETTLED_NS", -(10**12))
    monkeypatch.setattr(build, "build_parts", lambda *args, **more: BUILDS.append(args) or build_parts(*args, **more))
    BUILDS.clear()
    return tmp_path / "cache"


@pytest.fixture(params=["byte-level", "byte fallback"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "tokenizer.json"
    path.write_text((byte_level if request.param == "byte-level" else byte_fallback)().to_str())
    return path


def entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def check_same(one: Tokenizer, other: Tokenizer) -> None:
    assert one.fingerprint == other.fingerprint and one.eos_token_ids == other.eos_token_ids
    assert one.special_tokens == other.special_tokens and one.name == other.name and repr(one) == repr(other)
    assert (one.adds_prefix_space, one.strips_first_space) == (other.adds_prefix_space, other.strips_first_space)
    assert (one.normal_form, one.can_encode) == (other.normal_form, other.can_encode)
    assert one.trie.aliases == other.trie.aliases and one.trie.long_ids == other.trie.long_ids
    assert one.trie.subtree(b"") == other.trie.subtree(b"")
    assert one.canon_reason == other.canon_reason
    for text in texts(30) if one.can_encode else []:
        assert one.encode(text) == other.encode(text)
        assert one.pretoken_ends(text.encode()) == other.pretoken_ends(text.encode())


def load(path: Path, count: int, **options: Any) -> Tokenizer:
    """Load a file, and check how many vocabularies were built of files since the last time."""
    tok = Tokenizer.from_file(path, **options)
    assert len(BUILDS) == count
    BUILDS.clear()
    return tok


@pytest.mark.parametrize("make", [Tokenizer.from_file, Tokenizer.from_huggingface])
def test_the_same_with_the_cache(make: Any, file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = make(file), make(file)
    assert len(BUILDS) == 1 and len(entries(folder)) == 1
    monkeypatch.setenv("FFGRAMMAR_CACHE", "off")
    plain = make(file)
    assert len(BUILDS) == 2
    check_same(first, plain)
    check_same(second, plain)


def _special_cases() -> dict[str, dict[str, Any]]:
    """By name: the tokenizer.json of a model with something unusual."""
    cases = {name: json.loads(byte_level().to_str()) for name in ("missing byte", "EOS is not special", "long token")}
    del cases["missing byte"]["model"]["vocab"]["\u0101"]
    for token in cases["EOS is not special"]["added_tokens"]:
        token["special"] = token["special"] and token["content"] != "<|endoftext|>"
    vocabulary = cases["long token"]["model"]["vocab"]
    for number, size in enumerate((255, 256, 300, 1024), 700):
        vocabulary["-" * size] = number
    pieces: list[Any] = [["<unk>", 0.0], ["</s>", 0.0], ["\u2581the", -2.7], ["the", -3.7], ["\u2581a", -1.3]]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    ends = {"id": 1, "content": "</s>", "special": True, **flags}
    space = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    cases["unigram"] = {"model": {"type": "Unigram", "unk_id": 0, "vocab": pieces}, "added_tokens": [ends]}
    cases["unigram"] |= {"pre_tokenizer": space, "decoder": space}
    names = ["[UNK]", "[SEP]", "a", "##b", "quick", "."]
    model = {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {name: number for number, name in enumerate(names)}}
    cases["WordPiece"] = {
        "model": {**model, "continuing_subword_prefix": "##", "max_input_chars_per_word": 100},
        "added_tokens": [{"id": 1, "content": "[SEP]", "special": True, **flags}],
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    }
    return cases


CASES = ("missing byte", "EOS is not special", "long token", "unigram", "WordPiece", "word list")


@pytest.mark.parametrize("case", CASES)
def test_other_kinds_of_files(case: str, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tokenizers")
    path = tmp_path / "tokenizer"
    if case == "word list":
        path.write_text("".join(f"{number + 1} {bytes([number])!r} 1\n" for number in range(256)) + "257 'the' 3\n")
    else:
        path.write_text(json.dumps(_special_cases()[case]))
    options = {} if case != "EOS is not special" else {"eos_token_ids": 0}
    first, second = load(path, 1, **options), load(path, 0, **options)
    monkeypatch.setenv("FFGRAMMAR_CACHE", "off")
    plain = load(path, 1, **options)
    others = ("a\x01b\x01", " the<|endoftext|>the a", "a ab. " + 1100 * "-")
    for tok in (first, second):
        assert (tok.canon_reason, tok.normal_form, tok.special_tokens) == (
            plain.canon_reason,
            plain.normal_form,
            plain.special_tokens,
        )
        for text in others:
            ids = plain.encode(text)
            assert tok.encode(text) == ids and tok.writes(tuple(ids)) == plain.writes(tuple(ids))
        check_same(tok, plain)
    assert case != "long token" or plain.trie.max_depth == 1024


def test_options_and_paths_have_entries_of_their_own(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for options in ({}, {"vocab_size": 1000}, {"eos_token_ids": [3]}, {"eos_token_ids": (3, 4)}, {"eos_token_ids": ()}):
        one, two = load(file, 1, **options), load(file, 0, **options)
        check_same(one, two)
    assert load(file, 0, eos_token_ids=iter([3])).eos_token_ids == (3,) == load(file, 0, eos_token_ids=3).eos_token_ids
    other = file.parent / "other.json"
    other.write_bytes(file.read_bytes())
    load(other, 1)
    check_same(load(file.parent, 1), load(file.parent, 0))
    with pytest.raises(TokenizerError, match="out of range"):
        Tokenizer.from_file(file, eos_token_ids=10**6)
    assert len([one for one in entries(folder) if "-rules" not in one.name]) == 7


@pytest.mark.parametrize("change", ["content", "same size and time", "beside", "replaced"])
def test_a_changed_file_is_read(change: str, file: Path, folder: Path) -> None:
    load(file, 1)
    before, data = file.stat(), file.read_text()
    config = json.loads(data)
    if change == "content":
        file.write_text(json.dumps(config))
    if change == "same size and time":
        file.write_text(data.replace("quick", "kciuq"))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert file.stat().st_size == before.st_size and file.stat().st_mtime_ns == before.st_mtime_ns
    if change == "beside":
        (file.parent / "generation_config.json").write_text('{"eos_token_id": 1}')
    if change == "replaced":
        other = file.parent / "new"
        other.write_text(data)
        os.replace(other, file)
    load(file, 1)
    load(file, 0)


def test_a_file_that_was_just_written_is_not_kept(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "SETTLED_NS", 2_000_000_000)
    os.utime(file)
    load(file, 1)
    load(file, 1)
    assert entries(folder) == []


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_text(path.read_text() + " ")])
def test_a_file_that_changes_before_its_rules_are_needed(change: Any, file: Path, folder: Path) -> None:
    load(file, 1)
    tok = load(file, 0)
    change(file)
    with pytest.raises(TokenizerError, match="is gone or has changed since its vocabulary was loaded"):
        tok.encode("text")
    assert tok.canon is None and "is gone or has changed" in (tok.canon_reason or "")
    assert tok.decode([5])


def test_calls_whose_entries_have_the_same_name(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary_cache, "checksum", lambda data: 1)
    for _ in range(2):
        for size in (1000, 2000):
            assert load(file, 1, vocab_size=size).vocab_size == size
            assert load(file, 0, vocab_size=size).vocab_size == size
    assert len(entries(folder)) == 1


IMPORTS = """
import sys
import ffgrammar as ff
from ffgrammar.tokens.loaders import cached_file, identity

cached_file.MIN_BYTES, identity.SETTLED_NS = 0, -10**12
before = set(sys.modules)
tok = ff.Tokenizer.from_file(sys.argv[1])
print(*set(sys.modules) - before)
"""
# What takes long to import: modules that read files or make rules, and some of the standard library
SLOW = {
    f"ffgrammar.tokens.{name}" for name in ("loaders.huggingface", "loaders.build", "canonical.rules", "bpe.merges")
}
SLOW |= {"ffgrammar.engine", "ffgrammar.grammar", "ffgrammar.draw", "hashlib", "dataclasses", "inspect", "pathlib"}


def test_little_is_imported(file: Path, folder: Path) -> None:
    """A tokenizer from the cache needs no module that reads files."""

    def loaded() -> set[str]:
        command = [sys.executable, "-c", IMPORTS, str(file)]
        return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())

    assert "ffgrammar.tokens.loaders.huggingface" in loaded()
    assert loaded().isdisjoint(SLOW)


def test_the_directory_may_change_before_rules_are_needed(
    file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    load(Path(file.name), 1)
    tok = load(Path(file.name), 0)
    monkeypatch.chdir("/")
    assert tok.decode(tok.encode("the quick")) == b"the quick" and tok.canon is not None


def sealed(rest: bytes) -> bytes:
    """An entry with the right checksum."""
    return MAGIC + checksum(rest).to_bytes(DIGEST, "little") + rest


def test_damaged_entries_are_written_anew(file: Path, folder: Path) -> None:
    plain = load(file, 1)
    (entry,) = entries(folder)
    data = entry.read_bytes()
    rng = random.Random(1)
    damaged = [b"", data[:7], data[:50], data[:-1], data + b"x", b"x" + data[1:]]
    for _ in range(30):
        at = rng.randrange(len(data))
        damaged.append(data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :])
    for one in damaged:
        entry.write_bytes(one)
        assert load(file, 1).fingerprint == plain.fingerprint
        assert entry.read_bytes() == data
    check_same(load(file, 0), plain)


def test_forged_entries_do_not_crash(file: Path, folder: Path) -> None:
    """The checksum is right, and the rest is not. Only a file of the user's own is read, so this is about crashes."""
    load(file, 1)
    (entry,) = entries(folder)
    data = entry.read_bytes()
    rest = data[len(MAGIC) + DIGEST :]
    size = int.from_bytes(rest[:4], "little")
    header, raw = json.loads(rest[4 : 4 + size]), rest[4 + size :]
    wrong: list[Any] = [
        None,
        -1,
        3,
        1 << 40,
        1.5,
        "x",
        [],
        [[1]],
        {},
        {"x": 10**9},
        {"x": 3},
        [[0, "00"]],
        [["x", 1]],
        True,
    ]
    for field in header:
        for value in wrong:
            text = json.dumps({**header, field: value}).encode()
            entry.write_bytes(sealed(len(text).to_bytes(4, "little") + text + raw))
            Tokenizer.from_file(file).decode([1, 2])
        text = json.dumps({name: value for name, value in header.items() if name != field}).encode()
        entry.write_bytes(sealed(len(text).to_bytes(4, "little") + text + raw))
        Tokenizer.from_file(file).decode([1, 2])
    rng = random.Random(2)
    for _ in range(200):
        at = rng.randrange(len(rest))
        entry.write_bytes(sealed(rest[:at] + bytes([rng.randrange(256)]) + rest[at + 1 :]))
        Tokenizer.from_file(file).trie.subtree(b"t")
    BUILDS.clear()


def test_entries_of_others_are_not_read(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(file, 1)
    (entry,) = entries(folder)
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600 and stat.S_IMODE(folder.stat().st_mode) == 0o700
    for mode in (0o620, 0o602):
        entry.chmod(mode)
        load(file, 1)
        assert stat.S_IMODE(entry.stat().st_mode) == 0o600
    monkeypatch.setattr(os, "geteuid", lambda: entry.stat().st_uid + 1)
    load(file, 1)
    monkeypatch.undo()


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "renamed"])
def test_what_is_no_entry_is_not_read(kind: str, file: Path, folder: Path) -> None:
    load(file, 1)
    (entry,) = entries(folder)
    kept = entry.rename(folder / "kept")
    if kind == "folder":
        entry.mkdir()
    if kind == "pipe":
        os.mkfifo(entry)
    if kind == "link":
        entry.symlink_to(kept)
    if kind == "renamed":
        load(file, 1, vocab_size=1000)
        (other,) = [one for one in entries(folder) if one.suffix == ".vocab"]
        other.rename(entry)
    load(file, 1)


def test_where_nothing_can_be_written_nothing_is_kept(
    file: Path, tmp_path: Path, folder: Path, monkeypatch: Any
) -> None:
    (tmp_path / "plain").write_text("")
    for place in (tmp_path / "plain" / "inside", "/dev/null/x", "/proc/none", "\x01" * 300):
        monkeypatch.setenv("FFGRAMMAR_CACHE", str(place))
        load(file, 1)
        load(file, 1)
    assert (tmp_path / "plain").read_text() == ""


def test_the_limit_on_the_size(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(file, 1)
    size = entries(folder)[0].stat().st_size
    monkeypatch.setattr(vocabulary_cache, "MAX_BYTES", 7 * size // 2)
    abandoned = folder / ".1-abc.vocab"
    abandoned.write_text("x")
    (folder / "other").write_text("y" * 100_000)
    for used, one in enumerate([abandoned, *entries(folder)]):
        os.utime(one, (used, used))
    for more in range(1, 6):
        load(file, 1, vocab_size=1000 + more)
        load(file, 0, vocab_size=1001)
    kept = [one for one in entries(folder) if one.suffix == ".vocab"]
    assert not abandoned.exists() and (folder / "other").exists() and len(kept) == 3
    load(file, 0, vocab_size=1001)
    load(file, 0, vocab_size=1005)
    load(file, 1)


def test_where_the_directory_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = str(tmp_path)
    for variables, platform, expected in [
        ({"FFGRAMMAR_CACHE": "/a/b"}, "linux", "/a/b"),
        ({"FFGRAMMAR_CACHE": "off", "HOME": home}, "linux", None),
        ({"FFGRAMMAR_CACHE": "", "HOME": home}, "linux", None),
        ({"XDG_CACHE_HOME": "/c", "HOME": home}, "linux", "/c/ffgrammar"),
        ({"XDG_CACHE_HOME": "relative", "HOME": home}, "linux", f"{home}/.cache/ffgrammar"),
        ({"HOME": home}, "linux", f"{home}/.cache/ffgrammar"),
        ({"HOME": home}, "darwin", f"{home}/Library/Caches/ffgrammar"),
        ({"HOME": "relative"}, "linux", None),
    ]:
        for name in ("FFGRAMMAR_CACHE", "XDG_CACHE_HOME", "HOME"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "platform", platform)
        assert cache_folder() == expected
    monkeypatch.undo()


def test_another_build_reads_files_anew(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(file, 1)
    monkeypatch.setattr(vocabulary_cache, "_code", lambda: [("other.py", 1, 2)])
    load(file, 1)


def test_small_files_are_not_kept(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_file, "MIN_BYTES", 1 << 18)
    load(file, 1)
    assert entries(folder) == []


def test_threads_and_processes_share_a_cache(file: Path, folder: Path) -> None:
    expected = load(file, 1).fingerprint
    code = (
        "import sys; from ffgrammar.tokens.loaders import cached_file, identity, vocabulary_cache\n"
        "from ffgrammar import Tokenizer\n"
        "cached_file.MIN_BYTES, identity.SETTLED_NS = 0, -10**12\n"
        "for turn in range(60):\n"
        "    for path in vocabulary_cache.os.scandir(sys.argv[2]) if turn % 3 == 0 else []:\n"
        "        try: vocabulary_cache.os.unlink(path.path)\n"
        "        except OSError: pass\n"
        "    print(Tokenizer.from_file(sys.argv[1]).fingerprint)\n"
    )
    line = [sys.executable, "-c", code, str(file), str(folder)]
    runs = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.extend(Tokenizer.from_file(file).fingerprint for _ in range(20)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shown = [run.communicate(timeout=120)[0].split() for run in runs]
    assert {*found, *(one for lines in shown for one in lines)} == {expected}
    assert [len(lines) for lines in shown] == [60, 60, 60] and len(found) == 80
    assert [one for one in entries(folder) if one.name.startswith(".")] == []
