"""The makers of tokenizers: each takes what a caller gives, and returns the parts of a `Tokenizer`.

    parts = make_file("path/to/tokenizer.json", None, None, None)

`read_file` says which loader reads a file of which kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.lazy_rules import LazyRules, make_rules
from ffgrammar.tokens.loaders.encoders import CallableEncoder, RulesEncoder
from ffgrammar.tokens.loaders.files import TokenizerFile, find_file
from ffgrammar.tokens.loaders.parts import PatternRules, ReadTokenizer, TokenizerParts, build_parts
from ffgrammar.tokens.vocabulary.special import (
    EosIds,
    add_eos_names,
    check_eos,
    check_no_text,
    check_vocab_size,
    default_eos,
)
from ffgrammar.tokens.vocabulary.trie import MAX_VOCAB_SIZE

__all__ = ["make_embedded", "make_file", "make_huggingface", "make_tiktoken", "make_tokens"]

NO_RULES = "from_tokens does not say how its tokens are made"


def make_embedded(name: str, eos_token_ids: EosIds, vocab_size: int | None) -> TokenizerParts:
    """The parts of an embedded encoding. Raises TokenizerError."""
    from ffgrammar.tokens.bpe.builtin_encoder import BuiltinEncoder
    from ffgrammar.tokens.vocabulary.embedded import ENCODINGS, load_trie

    encoding = ENCODINGS.get(name)
    if encoding is None:
        raise TokenizerError(
            f"{name!r} is not embedded ({', '.join(ENCODINGS)} are); for another encoding pass the object that "
            "tiktoken.get_encoding returns, or (in the shell) the path of a tokenizer.json or .tiktoken file"
        )
    specials = dict(encoding.special_tokens)
    size = check_vocab_size(vocab_size, 1 + max(specials.values()))
    if eos_token_ids is None:
        eos_token_ids = [specials[text] for text in encoding.eos]
    eos = check_eos(eos_token_ids, size)
    trie = load_trie(encoding, size)
    check_no_text(eos, trie.token_bytes, name)
    add_eos_names(specials, eos, [])
    rules = LazyRules(partial(make_rules, trie, pattern=encoding.pattern, embedded=True))
    return TokenizerParts(trie, specials, eos, name, BuiltinEncoder(trie, encoding.splitter), rules)


def make_tiktoken(encoding: Any, eos_token_ids: EosIds, vocab_size: int | None) -> TokenizerParts:
    """The parts of an embedded encoding, by name, or of a `tiktoken.Encoding`. Raises TokenizerError."""
    if isinstance(encoding, str):
        return make_embedded(encoding, eos_token_ids, vocab_size)
    from ffgrammar.tokens.loaders.tiktoken import read_encoding

    tokens, special_tokens, name, encoder = read_encoding(encoding)
    if eos_token_ids is None:
        eos_token_ids = default_eos(special_tokens, ("<|endoftext|>",), name)
    else:
        eos_token_ids = check_eos(eos_token_ids, check_vocab_size(vocab_size, len(tokens)))
        check_no_text(eos_token_ids, lambda number: tokens[number] if number < len(tokens) else None, name)
    pattern = getattr(encoding, "_pat_str", None)
    rules = None if pattern is None else PatternRules(pattern)
    read = ReadTokenizer(
        tokens, special_tokens, eos_token_ids, name, encoder, rules, "" if rules else "the encoding has no pattern"
    )
    return build_parts(read, vocab_size)


def make_huggingface(source: Any, eos_token_ids: EosIds, vocab_size: int | None) -> TokenizerParts:
    """The parts of a Hugging Face tokenizer: an object, or a path. Raises TokenizerError."""
    from ffgrammar.tokens.loaders.huggingface import read_tokenizer

    return build_parts(read_tokenizer(source, eos_token_ids), vocab_size)


def make_tokens(
    tokens: Iterable[bytes | None],
    eos_token_id: EosIds,
    special_tokens: Mapping[str, int] | None,
    encode: Callable[[bytes], Iterable[int]] | None,
    vocab_size: int | None,
    name: str,
) -> TokenizerParts:
    """The parts of a tokenizer whose tokens are listed. Raises TokenizerError."""
    encoder = None if encode is None else CallableEncoder(encode)
    eos = () if eos_token_id is None else eos_token_id
    read = ReadTokenizer(list(tokens), dict(special_tokens or {}), eos, name, encoder, None, NO_RULES)
    return build_parts(read, vocab_size)


def make_file(
    path: str | PathLike[str], eos_token_ids: EosIds, vocab_size: int | None, pattern: str | None
) -> TokenizerParts:
    """The parts of the tokenizer in a file. Raises TokenizerError."""
    file = find_file(Path(path))
    read = read_file(file, str(path), eos_token_ids, pattern)
    if isinstance(read, str):
        return make_embedded(read, eos_token_ids, vocab_size)
    return build_parts(read, vocab_size)


def read_file(file: TokenizerFile, name: str, eos_token_ids: EosIds, pattern: str | None) -> ReadTokenizer | str:
    """What is in a file, or the name of the embedded encoding that it is.

    Args:
        file: the file.
        name: what the caller called it, for messages.
        eos_token_ids: as given.
        pattern: as given.

    Raises:
        TokenizerError: the file cannot be read, or there is a pattern and it is no rank file.
    """
    if pattern is not None and file.kind != "ranks":
        raise TokenizerError(f"{file.path}: pattern= is for rank files; this file has its own")
    if file.kind == "huggingface":
        from ffgrammar.tokens.loaders.huggingface import read_tokenizer

        return read_tokenizer(file.path, eos_token_ids, file.data)
    if file.kind == "gguf":
        from ffgrammar.tokens.loaders.gguf import read_gguf

        return read_gguf(file.path, eos_token_ids)
    if file.kind == "sentencepiece":
        from ffgrammar.tokens.loaders.sentencepiece import read_sentencepiece

        return read_sentencepiece(file.path, file.data, eos_token_ids)
    return _read_ranks(file, name, eos_token_ids, pattern)


def _read_ranks(file: TokenizerFile, name: str, eos_token_ids: EosIds, pattern: str | None) -> ReadTokenizer | str:
    from ffgrammar.tokens.loaders.ranks import read_rank_file, read_tekken

    read = read_tekken(file.path, file.data) if file.kind == "tekken" else read_rank_file(file.path, file.data, pattern)
    if read.embedded is not None:
        return read.embedded
    if eos_token_ids is None and not read.eos:
        raise TokenizerError(f"{file.path}: which token ends a text is not known; give eos_token_ids=")
    if eos_token_ids is None:
        eos_token_ids = [read.special_tokens[text] for text in read.eos]
    elif read.special_tokens:
        eos_token_ids = check_eos(eos_token_ids, MAX_VOCAB_SIZE)
        check_no_text(eos_token_ids, lambda number: next(iter(read.tokens[number : number + 1]), None), name)
    if read.pattern is None:
        reason = "a rank file does not say how a text is cut; give pattern="
        return ReadTokenizer(read.tokens, read.special_tokens, eos_token_ids, name, None, None, reason)
    encoder = RulesEncoder(read.tokens, read.pattern)
    rules = PatternRules(read.pattern)
    return ReadTokenizer(read.tokens, read.special_tokens, eos_token_ids, name, encoder, rules, "")
