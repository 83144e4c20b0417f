"""The embedded encodings: lossless, as tiktoken publishes them, quickly ready, and damage is noticed."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary import embedded, pack
from ffgrammar.tokens.vocabulary.embedded import ENCODINGS
from oracle.tokens import read_ranks

NAMES = sorted(ENCODINGS)


def packed(name: str) -> bytes:
    return Path(embedded.DATA, f"{name}.bin").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_the_rank_file_is_rebuilt_byte_for_byte(name: str) -> None:
    assert hashlib.sha256(pack.unpack(packed(name))).hexdigest() == ENCODINGS[name].sha256


@pytest.mark.parametrize("name", NAMES)
def test_packing_the_published_file_gives_the_embedded_one(name: str, shared_dir: Path) -> None:
    rank_file = (shared_dir / "tokenizers" / f"{name}.tiktoken").read_bytes()
    assert pack.unpack(packed(name)) == rank_file
    # Not the compressed bytes: they depend on the zlib that wrote them.
    assert embedded.read_packed(pack.pack(rank_file)) == embedded.read_packed(packed(name))


@pytest.mark.parametrize("name", NAMES)
def test_facts_are_those_of_tiktoken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    public = pytest.importorskip("tiktoken_ext.openai_public")
    asked = {}

    def load(url: str, expected_hash: str) -> dict[bytes, int]:
        asked["hash"] = expected_hash
        return {}

    monkeypatch.setattr(public, "load_tiktoken_bpe", load)
    facts = getattr(public, name)()
    assert asked["hash"] == ENCODINGS[name].sha256
    assert facts["special_tokens"] == ENCODINGS[name].special_tokens
    assert facts["pat_str"] == ENCODINGS[name].pattern
    assert facts["name"] == name


@pytest.mark.parametrize("name", NAMES)
def test_the_trie_holds_every_token(name: str) -> None:
    tok = Tokenizer.from_tiktoken(name)
    ranks = read_ranks(pack.unpack(packed(name)))
    trie = tok.trie
    assert trie.token_count == len(ranks) and trie.alias_count == trie.long_count == 0
    assert all(trie.token_bytes(rank) == token for token, rank in ranks.items())
    assert all(trie.id_of(token) == rank for token, rank in ranks.items())
    assert trie.subtree(b"") == [ranks[token] for token in sorted(ranks)]


def test_an_embedded_vocabulary_needs_no_other_package() -> None:
    code = (
        "from ffgrammar.tokens.tokenizer import Tokenizer\n"
        "Tokenizer.from_tiktoken('cl100k_base')\n"
        "import sys; print([name for name in ('numpy', 'regex', 'tiktoken', 'tokenizers') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:11],
        lambda data: data[:-5000],
        lambda data: b"x" + data[1:],
        lambda data: data[:3000] + bytes([data[3000] ^ 1]) + data[3001:],
        lambda data: data[:8] + b"\xff\xff\xff\xff" + data[12:],
        lambda data: data[:8] + b"\x07\x00\x00\x00" + data[12:],
    ],
)
def test_damaged_data_are_refused(damage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cl100k_base.bin").write_bytes(damage(packed("cl100k_base")))
    monkeypatch.setattr(embedded, "DATA", str(tmp_path))
    with pytest.raises(TokenizerError, match="embedded vocabulary"):
        Tokenizer.from_tiktoken("cl100k_base")


def test_missing_data_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "DATA", str(tmp_path))
    with pytest.raises(TokenizerError, match=r"cannot read .*cl100k_base\.bin"):
        Tokenizer.from_tiktoken("cl100k_base")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"YQ== 1\n", "line 1: expected rank 0"),
        (b"YQ== 0\nYg==\n", "line 2: expected 'base64 rank'"),
        (b"Y?== 0\n", "line 1"),
        (b"YQ== 0\nYQ== 1\n", "twice"),
        (b"YQ==  0\n", "not in the plain form"),
        (b"YQ== 0", "not in the plain form"),
    ],
)
def test_rank_files_that_cannot_be_packed(text: bytes, message: str) -> None:
    with pytest.raises(TokenizerError, match=message):
        pack.pack(text)


def test_pack_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.tiktoken", tmp_path / "out.bin"
    source.write_bytes(b"YQ== 0\nYWI= 1\nYg== 2\n")
    assert pack.main([str(source), str(target)]) == 0
    assert pack.unpack(target.read_bytes()) == source.read_bytes()
    assert pack.main([]) == 2
    assert pack.main([str(tmp_path / "none"), str(target)]) == 2
    assert "usage" in capsys.readouterr().err


def test_tiktoken_is_not_needed(tmp_path: Path, shared_dir: Path) -> None:
    """Embedded encodings and files are used in a process in which `import tiktoken` fails."""
    code = (
        "import sys; sys.modules['tiktoken'] = None\n"
        "import ffgrammar as ff\n"
        "ranks = ff.Tokenizer.from_file(sys.argv[1], eos_token_ids=())\n"
        "own = ff.Tokenizer.from_file(sys.argv[2], eos_token_ids=300, vocab_size=301, pattern=r' ?\\p{L}+|[^\\p{L}]')\n"
        "for tok in ff.Tokenizer.from_tiktoken('cl100k_base'), ff.Tokenizer.from_tiktoken('o200k_base'), ranks, own:\n"
        "    assert tok.decode(tok.encode('Hello world')) == b'Hello world'\n"
        "    assert ff.is_canonical(tok, tok.encode('Hello world'))\n"
        "    ff.compile_regex('[a-z]+', tok).matcher(canonical=True).allowed_token_ids()\n"
        "    assert tok.coverings('Hello wor') and tok.pretoken_ends(b'Hello world')\n"
    )
    own = tmp_path / "own.tiktoken"
    own.write_bytes(b"".join(base64.b64encode(bytes([value])) + b" %d\n" % value for value in range(256)))
    paths = [str(shared_dir / "tokenizers" / "cl100k_base.tiktoken"), str(own)]
    run = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
