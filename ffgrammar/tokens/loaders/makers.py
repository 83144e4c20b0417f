"""The makers of tokenizers: each takes what a caller gives, and returns the parts of a `Tokenizer`.

    parts = make_file("path/to/tokenizer.json", None, None, None)

`read_file` says which loader reads which kind of file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.lazy_rules import LazyRules, make_embedded_rules
from ffgrammar.tokens.loaders.cached_file import cached_parts
from ffgrammar.tokens.loaders.model_folder import find_path
from ffgrammar.tokens.loaders.parts import TokenizerParts
from ffgrammar.tokens.loaders.source import Source
from ffgrammar.tokens.vocabulary.special import (
    EosIds,
    add_eos_names,
    check_eos,
    check_id,
    check_no_text,
    check_vocab_size,
    default_eos,
    unknown_eos,
)
from ffgrammar.tokens.vocabulary.trie import MAX_VOCAB_SIZE

if TYPE_CHECKING:
    from pathlib import Path

    from ffgrammar.tokens.loaders.files import TokenizerFile
    from ffgrammar.tokens.loaders.reading import ReadTokenizer

__all__ = ["make_embedded", "make_file", "make_huggingface", "make_tiktoken", "make_tokens"]

NO_RULES = "from_tokens does not say how its tokens are made"


def make_embedded(name: str, eos_token_ids: EosIds, vocab_size: int | None) -> TokenizerParts:
    """The parts of an embedded encoding. Raises TokenizerError."""
    from ffgrammar.tokens.bpe.builtin_encoder import BuiltinEncoder
    from ffgrammar.tokens.vocabulary.embedded import ENCODINGS, load_trie

    encoding = ENCODINGS.get(name)
    if encoding is None:
        raise TokenizerError(
            f"{name!r} is not embedded ({', '.join(ENCODINGS)} are); for another one "
            "pass the object that tiktoken.get_encoding returns, or use Tokenizer.from_file(path)"
        )
    specials = dict(encoding.special_tokens)
    size = check_vocab_size(vocab_size, 1 + max(specials.values()))
    if eos_token_ids is None:
        eos_token_ids = [specials[text] for text in encoding.eos]
    eos = check_eos(eos_token_ids, size)
    trie = load_trie(encoding, size)
    check_no_text(eos, trie.token_bytes, name)
    add_eos_names(specials, eos, [])
    encoder = BuiltinEncoder(trie, encoding.splitter)
    rules = LazyRules(partial(make_embedded_rules, encoder.merges, encoding))
    call = Source("from_tiktoken", {"encoding": name, "eos_token_ids": eos, "vocab_size": vocab_size})
    return TokenizerParts(trie, specials, eos, name, encoder, rules, source=call)


def make_tiktoken(encoding: Any, eos_token_ids: EosIds, vocab_size: int | None) -> TokenizerParts:
    """The parts of an embedded encoding, by name, or of a `tiktoken.Encoding`. Raises TokenizerError."""
    if isinstance(encoding, str):
        return make_embedded(encoding, eos_token_ids, vocab_size)
    from ffgrammar.tokens.loaders.build import PatternRules, build_parts
    from ffgrammar.tokens.loaders.reading import ReadTokenizer
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
    parts = build_parts(read, vocab_size)
    arguments = {"encoding": encoding, "eos_token_ids": eos_token_ids, "vocab_size": vocab_size}
    parts.source = Source("from_tiktoken", arguments)
    return parts


def make_huggingface(source: Any, eos_token_ids: EosIds, vocab_size: int | None) -> TokenizerParts:
    """The parts of a Hugging Face tokenizer: an object, or a path. Raises TokenizerError."""
    from ffgrammar.tokens.loaders.build import build_parts
    from ffgrammar.tokens.loaders.huggingface import read_tokenizer
    from ffgrammar.tokens.loaders.huggingface_files import file_behind, find_json

    path = find_json(source)
    eos = _listed(eos_token_ids)
    behind = file_behind(source) if path is None else None
    if behind is not None:
        given = getattr(source, "eos_token_id", None) if eos is None else None
        return make_file(behind, eos if given is None else given, vocab_size, None)
    given = source if path is None else os.path.abspath(source)
    call = Source("from_huggingface", {"source": given, "eos_token_ids": eos, "vocab_size": vocab_size})
    if path is not None:
        # (messages name what was given: the file, or its folder)
        return cached_parts(path, call, lambda file: read_tokenizer(file, eos)._replace(name=str(source)))
    parts = build_parts(read_tokenizer(source, eos), vocab_size)
    parts.source = call
    return parts


def make_tokens(
    tokens: Iterable[bytes | None],
    eos_token_id: EosIds,
    special_tokens: Mapping[str, int] | None,
    encode: Callable[[bytes], Iterable[int]] | None,
    vocab_size: int | None,
    name: str,
) -> TokenizerParts:
    """The parts of a tokenizer whose tokens are listed. Raises TokenizerError."""
    from ffgrammar.tokens.loaders.build import build_parts
    from ffgrammar.tokens.loaders.encoders import CallableEncoder
    from ffgrammar.tokens.loaders.reading import ReadTokenizer

    encoder = None if encode is None else CallableEncoder(encode)
    eos = () if eos_token_id is None else eos_token_id
    read = ReadTokenizer(list(tokens), dict(special_tokens or {}), eos, name, encoder, None, NO_RULES)
    parts = build_parts(read, vocab_size)
    # (a pickle gets the tokens from the trie)
    parts.source = Source("from_tokens", {"encode": encode, "name": name})
    return parts


def make_file(
    path: str | PathLike[str], eos_token_ids: EosIds, vocab_size: int | None, pattern: str | None
) -> TokenizerParts:
    """The parts of the tokenizer in a file. Raises TokenizerError."""
    found = find_path(path)
    eos = _listed(eos_token_ids)

    def read(file: str) -> ReadTokenizer:
        from ffgrammar.tokens.loaders.files import find_file

        in_file = read_file(find_file(file), str(path), eos, pattern)
        if isinstance(in_file, str):
            raise _Embedded(in_file)
        return in_file

    arguments = {"path": os.path.abspath(path), "eos_token_ids": eos, "vocab_size": vocab_size, "pattern": pattern}
    try:
        return cached_parts(found, Source("from_file", arguments), read)
    except _Embedded as embedded:
        return make_embedded(str(embedded), eos, vocab_size)


class _Embedded(Exception):
    """Raised by a reader: the file is the rank file of an embedded encoding, which this error names."""


def _listed(eos_token_ids: EosIds) -> list[int] | None:
    """EOS ids as a list, which can be read more than once. Raises TokenizerError if one is no id."""
    if eos_token_ids is None:
        return None
    given = eos_token_ids if isinstance(eos_token_ids, Iterable) else [eos_token_ids]
    return [check_id(number, "eos_token_ids") for number in given]


def read_file(file: TokenizerFile, name: str, eos_token_ids: EosIds, pattern: str | None) -> ReadTokenizer | str:
    """What is in a file; for the rank file of an embedded encoding, the name of this encoding.

    Args:
        file: the file.
        name: what the caller called it, for messages.
        eos_token_ids: as the caller gave them.
        pattern: as the caller gave it.

    Raises:
        TokenizerError: the file cannot be read, the token that ends a text is not known, an EOS id is ordinary text, or
            a pattern is given for a file that is no rank file.
    """
    if pattern is not None and file.kind != "ranks":
        raise TokenizerError(f"{file.path}: pattern= is for rank files; this file has its own")
    if file.kind == "huggingface":
        from ffgrammar.tokens.loaders.huggingface import read_tokenizer

        return read_tokenizer(file.path, eos_token_ids, file.data)
    from pathlib import Path

    path = Path(file.path)
    if file.kind == "gguf":
        from ffgrammar.tokens.loaders.gguf import read_gguf

        return read_gguf(path, eos_token_ids)
    if eos_token_ids is None:
        from ffgrammar.tokens.loaders.huggingface_files import eos_ids_beside

        eos_token_ids = _listed(eos_ids_beside(os.path.dirname(file.path)))
    if file.kind == "sentencepiece":
        from ffgrammar.tokens.loaders.sentencepiece import read_sentencepiece

        return read_sentencepiece(path, file.data, eos_token_ids)
    if file.kind == "words":
        return _read_words(path, file, name, eos_token_ids)
    return _read_ranks(path, file, name, eos_token_ids, pattern)


def _read_words(path: Path, file: TokenizerFile, name: str, eos_token_ids: EosIds) -> ReadTokenizer:
    from ffgrammar.tokens.loaders.reading import ReadTokenizer
    from ffgrammar.tokens.loaders.word_list import END_OF_TEXT, NO_RULES, WordEncoder, read_word_list

    tokens = read_word_list(path, file.data)
    eos = [END_OF_TEXT] if eos_token_ids is None else eos_token_ids
    return ReadTokenizer(tokens, {}, eos, name, WordEncoder(), None, NO_RULES)


def _read_ranks(
    path: Path, file: TokenizerFile, name: str, eos_token_ids: EosIds, pattern: str | None
) -> ReadTokenizer | str:
    from ffgrammar.tokens.loaders.build import PatternRules
    from ffgrammar.tokens.loaders.encoders import RulesEncoder
    from ffgrammar.tokens.loaders.ranks import read_rank_file, read_tekken
    from ffgrammar.tokens.loaders.reading import ReadTokenizer

    read = read_tekken(path, file.data) if file.kind == "tekken" else read_rank_file(path, file.data, pattern)
    if read.embedded is not None:
        return read.embedded
    if eos_token_ids is None and not read.eos:
        raise unknown_eos(file.path, read.special_tokens)
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
