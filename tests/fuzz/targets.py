"""What a fuzzer does with a source: it compiles the source under the bounds for strangers, and takes tokens.

An error of ffgrammar is right. Any other exception is wrong, and so is a mask that does not say whether a token is
accepted. The fuzzer itself bounds time and memory.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable

import ffgrammar as ff
from ffgrammar.api import compiled_file

__all__ = ["TARGETS"]

LIMITS = ff.Limits.public()
# The steps of one walk, and how many tokens are tried at each.
MAX_STEPS, TRIED = 12, 8
# Enough tokens for all ways through a mask, and few enough that most of a fuzzer's time goes into front-ends.
VOCABULARY = 3000


def _small_tokenizer() -> ff.Tokenizer:
    """The single bytes and other frequent tokens of a real vocabulary."""
    real = ff.Tokenizer.from_tiktoken("cl100k_base")
    small = ff.Tokenizer.from_tokens([*(real.token_bytes(number) for number in range(VOCABULARY)), b""], VOCABULARY)
    small.grammar_bytes = 0
    return small


_tokenizer = _small_tokenizer()
_bitmask = ff.allocate_bitmask(1, _tokenizer.vocab_size)


def _checked(compiler: Callable[[str], ff.Grammar]) -> Callable[[bytes], None]:
    """A target that compiles what comes before the byte 0xFF. The bytes after it choose tokens."""

    def target(data: bytes) -> None:
        source, _, choices = data.partition(b"\xff")
        try:
            text = source.decode()
        except UnicodeDecodeError:
            return
        try:
            _walk(compiler(text), choices)
        except ff.FFGrammarError as error:
            assert str(error)

    return target


def _walk(grammar: ff.Grammar, choices: bytes) -> None:
    matcher = grammar.matcher()
    for choice in choices[:MAX_STEPS]:
        matcher.fill_bitmask(_bitmask)
        allowed = matcher.allowed_token_ids()
        for number in range(TRIED):
            token = (choice * 331 + len(matcher.text_bytes) * 7 + number * 13) % _tokenizer.vocab_size
            said = bool(_bitmask[0, token >> 5] >> (token & 31) & 1)
            assert matcher.fork().accept_token(token) == said, f"token {token} after {matcher.text_bytes!r}"
        if not allowed.size:
            assert matcher.is_accepting() or matcher.is_terminated(), f"nothing may follow {matcher.text_bytes!r}"
            return
        assert matcher.accept_token(int(allowed[choice * allowed.size >> 8])), "an allowed token is refused"
        if matcher.is_terminated():
            return


def _load(text: str) -> ff.Grammar:
    """The grammar of a compiled file with this body, and with a checksum that is right."""
    fingerprint = bytes.fromhex(_tokenizer.fingerprint)[:32].ljust(32, b"\0")
    packed = zlib.compress(text.encode())
    digest = hashlib.sha256(fingerprint + packed).digest()
    header = compiled_file.HEADER.pack(compiled_file.MAGIC, compiled_file.VERSION, digest, fingerprint)
    return ff.load(header + packed, _tokenizer, limits=LIMITS)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "json_schema": _checked(lambda text: ff.compile_json_schema(text, _tokenizer, limits=LIMITS)),
    "lark": _checked(lambda text: ff.compile_lark(text, _tokenizer, limits=LIMITS)),
    "regex": _checked(lambda text: ff.compile_regex(text, _tokenizer, limits=LIMITS)),
    "gbnf": _checked(lambda text: ff.compile_gbnf(text, _tokenizer, limits=LIMITS)),
    "ebnf": _checked(lambda text: ff.compile_ebnf(text, _tokenizer, limits=LIMITS)),
    "structural_tag": _checked(lambda text: ff.compile_structural_tag(text, _tokenizer, limits=LIMITS)),
    "compiled_file": _checked(_load),
}
