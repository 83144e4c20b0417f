"""`Tokenizer`: a vocabulary, its special tokens, and (where there is one) the encoder that makes ids of text.

    tok = Tokenizer.from_tiktoken("cl100k_base")
    tok.encode("Hello world")          # [9906, 1917]
    tok.decode([9906, 1917])           # b"Hello world"
    tok.coverings("Hello wor")         # how the tokens of a text with this prefix can begin

Making a tokenizer takes 7 to 14 ms for an embedded encoding, and 4 to 10 ms for a file whose vocabulary is in the
cache (tokens/loaders/vocabulary_cache.py). The rules of canonical sequences (`canon`) are made when they are first
needed. For an embedded encoding that takes another 4 to 11 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

# (imported for its effect: from here on, os.fork() waits for modules of this package that are being imported)
import ffgrammar.core.forks  # noqa: F401
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.makers import make_file, make_huggingface, make_tiktoken, make_tokens
from ffgrammar.tokens.loaders.parts import TokenizerParts
from ffgrammar.tokens.loaders.source import Source, from_pickle, to_pickle
from ffgrammar.tokens.vocabulary.special import EosIds, Special, SpecialNames
from ffgrammar.tokens.vocabulary.trie import TokenTrie

if TYPE_CHECKING:
    from ffgrammar.tokens.bpe.native import NativeReach
    from ffgrammar.tokens.canonical.coverings import Covering
    from ffgrammar.tokens.canonical.rules import CanonicalRules
    from ffgrammar.tokens.vocabulary.normal_form import NormalForm

    class VocabularyCache(Protocol):
        """A cache that a floor above keeps with a tokenizer, so that both are freed together."""

        max_bytes: int

        def stats(self) -> dict[str, int]: ...


__all__ = ["Tokenizer"]

# Room for about 450 partitions of cl100k's vocabulary.
PARTITION_BYTES = 12 << 20
# Room for some 600 grammars of the usual size. (A second pass over 600 real schemas finds 597 of them; with 8 MiB none.
# The process takes 40 MB more.)
GRAMMAR_BYTES = 64 << 20


class Tokenizer:
    """A model's vocabulary. It never changes, so any number of threads may use it. A copy is the same object.

    Make one with `from_file`, `from_tiktoken`, `from_huggingface` or `from_tokens`.

    A token is an id and its bytes. Special tokens have no bytes: no text of a grammar contains them, `token_bytes`
    gives b"" for them, and `decode` gives their names. The ids that end a text (`eos_token_ids`) are always special.
    Ids of a model that its tokenizer does not know (holes, padding of the vocabulary) have no bytes, and no mask allows
    them.

    Attributes:
        partitions: the cache of partitions of the vocabulary; None until the engine makes it. All grammars on this
            tokenizer share it.
        grammars: the cache of compiled grammars; None until a compile function makes it.
    """

    __slots__ = (
        "_characters",
        "_fingerprint",
        "_grammar_bytes",
        "_names",
        "_partition_bytes",
        "_parts",
        "_special_names",
        "_trie",
        "grammars",
        "partitions",
    )

    def __init__(self, parts: TokenizerParts) -> None:
        if not isinstance(parts, TokenizerParts):
            raise TypeError(
                "a Tokenizer is made by Tokenizer.from_tiktoken, from_file, from_huggingface or from_tokens, not by "
                f"Tokenizer({type(parts).__name__})"
            )
        self._parts = parts
        self._trie = parts.trie
        self._special_names = {number: text for text, number in parts.special_tokens.items()}
        self._names: SpecialNames | None = None
        self._fingerprint: str | None = None
        # (in a tuple once it is known: it may be None)
        self._characters: tuple[frozenset[bytes] | None] | None = None
        self._partition_bytes = PARTITION_BYTES
        self.partitions: VocabularyCache | None = None
        self._grammar_bytes = GRAMMAR_BYTES
        self.grammars: VocabularyCache | None = None

    # ---- makers

    @classmethod
    def from_tiktoken(cls, encoding: Any, eos_token_ids: EosIds = None, vocab_size: int | None = None) -> Tokenizer:
        """The tokenizer of a tiktoken encoding.

        Args:
            encoding: "cl100k_base" or "o200k_base" (embedded: needs neither the network nor tiktoken), or any
                `tiktoken.Encoding` object.
            eos_token_ids: ids that end a text; `<|endoftext|>` if not given, () for none.
            vocab_size: how many ids the model has, if more than the tokenizer.

        Raises:
            TokenizerError: the name is not embedded, the object is no encoding, no EOS is known, an EOS id is an
                ordinary token, or an id is out of range.
        """
        return cls(make_tiktoken(encoding, eos_token_ids, vocab_size))

    @classmethod
    def from_huggingface(cls, source: Any, eos_token_ids: EosIds = None, vocab_size: int | None = None) -> Tokenizer:
        """The tokenizer of a Hugging Face model: BPE, unigram or WordPiece.

        Args:
            source: a `tokenizers.Tokenizer`, a tokenizer of transformers or of mistral-common, or the path of a
                tokenizer.json or of the directory that holds it. Of an object without a tokenizer.json, the file that
                it was read from is read.
            eos_token_ids: ids that end a text. If not given: for an object its `eos_token_id`, for a path what
                generation_config.json or tokenizer_config.json in the same folder says. If these say nothing, the one
                special token with a customary name. () for none.
            vocab_size: how many ids the model has, if more than the tokenizer.

        If the model is unigram, or BPE with rules that are known (see `canon`), nearly all texts are encoded without
        the package `tokenizers`. Other models and texts need it. A tokenizer that puts a space before a text's first
        word (`adds_prefix_space`) does not do so here: `encode` reads its argument as the continuation of a text.

        Raises:
            TokenizerError: the source cannot be read, the bytes of its tokens cannot be known exactly (WordLevel, say),
                no EOS is known, or an id is out of range.
        """
        return cls(make_huggingface(source, eos_token_ids, vocab_size))

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        eos_token_ids: EosIds = None,
        vocab_size: int | None = None,
        *,
        pattern: str | None = None,
    ) -> Tokenizer:
        """The tokenizer in a file, whatever its kind: the content tells.

        Args:
            path: a tokenizer.json of Hugging Face; a tekken.json of Mistral; a model of sentencepiece; a GGUF file; a
                rank file of tiktoken, or the tokenizer.model of Llama 3 or 4; a word list of RWKV; or a model's folder
                that holds a tokenizer.json, tekken.json or tokenizer.model.
            eos_token_ids: ids that end a text. If not given: those that the file, or another file in the same
                folder, names; 0 for a word list. () for none.
            vocab_size: how many ids the model has, if more than the tokenizer.
            pattern: for a rank file, the regular expression that cuts a text into pre-tokens. Not needed for the
                published files that are known here: those of the embedded encodings, of Llama 3 and of Llama 4.

        A rank file that is not known here gives a tokenizer whose only special tokens are those of `eos_token_ids`.
        Without a pattern, that tokenizer cannot encode: grammars and masks work, and `canon_reason` says what is
        missing.

        Raises:
            TokenizerError: the file cannot be read or is of another kind, `pattern` is given for a file that is no rank
                file, the token that ends a text is not known, an id is out of range, or an EOS id is ordinary text.
        """
        return cls(make_file(path, eos_token_ids, vocab_size, pattern))

    @classmethod
    def from_tokens(
        cls,
        tokens: Iterable[bytes | None],
        eos_token_id: EosIds = None,
        special_tokens: Mapping[str, int] | None = None,
        encode: Callable[[bytes], Iterable[int]] | None = None,
        vocab_size: int | None = None,
        name: str = "tokens",
    ) -> Tokenizer:
        """A tokenizer from its tokens' bytes.

        Args:
            tokens: bytes by id; b"" or None for an id without bytes. Different ids may have equal bytes, and bytes need
                not be UTF-8.
            eos_token_id: id or ids that end a text; they become special tokens if they are not special yet.
            special_tokens: id by name. The bytes of these ids are ignored.
            encode: makes ids of bytes (a str is given to it as UTF-8); without it `encode` raises.
            vocab_size: how many ids the model has, if more than there are tokens.
            name: for messages.

        Raises:
            TokenizerError: a token is not bytes; an id is negative, out of range, or special under two names; a name is
                empty; or `encode` is not callable.
        """
        return cls(make_tokens(tokens, eos_token_id, special_tokens, encode, vocab_size, name))

    # ---- what it is

    @property
    def vocab_size(self) -> int:
        """How many ids there are; a mask has ceil(vocab_size / 32) words."""
        return self._trie.vocab_size

    @property
    def eos_token_ids(self) -> tuple[int, ...]:
        """The ids that end a text, in the order given; empty if none does."""
        return self._parts.eos_token_ids

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens: id by name. The dict is a copy."""
        return dict(self._parts.special_tokens)

    @property
    def name(self) -> str:
        """A name for messages; it decides nothing."""
        return self._parts.name

    @property
    def trie(self) -> TokenTrie:
        """The vocabulary's trie."""
        return self._trie

    @property
    def characters(self) -> frozenset[bytes] | None:
        """What texts can be written in: the bytes that are tokens or belong to tokens that cut a character, and the
        characters in UTF-8 that stand inside of tokens. None if each byte is a token: then all texts can be written."""
        if self._characters is None:
            from ffgrammar.tokens.vocabulary.characters import characters

            self._characters = (characters(self._trie),)
        return self._characters[0]

    @property
    def adds_prefix_space(self) -> bool:
        """Whether the model's own tokenizer puts a space before a text. `encode` does not: it reads a continuation."""
        return self._parts.adds_prefix_space

    @property
    def strips_first_space(self) -> bool:
        """Whether the model's own decoder removes a space from the start of a whole text. `decode` does not."""
        return self._parts.strips_first_space

    @property
    def normal_form(self) -> NormalForm | None:
        """The form that the tokenizer puts a text into before cutting it: a Unicode normal form such as "NFC",
        "Lowercase", or both as "NFC Lowercase". None if it leaves the text as it is, or if its rules are not known. The
        rules (`canon`) hold for texts in this form. A text that is not in this form has no canonical tokens."""
        return self._parts.normal_form

    @property
    def can_encode(self) -> bool:
        """Whether there is an encoder."""
        return self._parts.encoder is not None

    @property
    def partition_bytes(self) -> int:
        """How many bytes of partitions of the vocabulary are kept at a time. Partitions are what one grammar learns and
        all others can use. When they need more bytes than this, all are dropped, and found anew. 0 keeps none: then
        each grammar is on its own. May be set."""
        return self._partition_bytes

    @partition_bytes.setter
    def partition_bytes(self, value: int) -> None:
        self._partition_bytes = _cache_bytes("partition_bytes", value)
        if self.partitions is not None:
            self.partitions.max_bytes = self._partition_bytes

    @property
    def grammar_bytes(self) -> int:
        """How many bytes of compiled grammars are kept: compiling the same source again gives the same grammar, with
        all that it has learned since. 0 keeps none. May be set."""
        return self._grammar_bytes

    @grammar_bytes.setter
    def grammar_bytes(self, value: int) -> None:
        self._grammar_bytes = _cache_bytes("grammar_bytes", value)
        if self.grammars is not None:
            self.grammars.max_bytes = self._grammar_bytes

    @property
    def fingerprint(self) -> str:
        """64 hex digits, made of all that a mask depends on: bytes, ids, special tokens, EOS ids, vocab_size."""
        if self._fingerprint is None:
            # (Two threads may both get here; they compute the same string.)
            from ffgrammar.tokens.vocabulary.fingerprint import fingerprint

            self._fingerprint = fingerprint(self._trie, self._parts.special_tokens, self._parts.eos_token_ids)
        return self._fingerprint

    def is_special(self, token: int) -> bool:
        """Whether the id is a special token. Raises TokenizerError if it is out of range."""
        self._trie.token_bytes(token)
        return token in self._special_names

    def token_bytes(self, token: int) -> bytes:
        """The bytes of a token: b"" for special tokens and ids without bytes. Raises TokenizerError if out of range."""
        return self._trie.token_bytes(token)

    # ---- text and ids

    def encode(self, text: str | bytes, *, special: Special = "text") -> list[int]:
        """The ids of a text, which is read as the continuation of another one.

        Args:
            text: the text, or its bytes.
            special: what becomes of a special token's name in the text. With "text" it is spelled out like other text.
                With "allow" it becomes that token. Use "text" for texts from strangers.

        Raises:
            TokenizerError: `text` is neither str nor bytes, or `special` is neither "text" nor "allow"; or there is no
                encoder, or it fails or gives ids that are not of this vocabulary.
        """
        if special == "allow":
            return self._encode_special(text)
        if special != "text":
            raise TokenizerError(f"special must be 'text' or 'allow', not {special!r}")
        encoder = self._parts.encoder
        if encoder is None:
            raise TokenizerError(f"tokenizer {self.name!r} cannot encode: {self.canon_reason}")
        if not isinstance(text, str | bytes):
            raise TokenizerError(f"encode: expected str or bytes, not {type(text).__name__}")
        ids = encoder.encode(text)
        size = self.vocab_size
        # (an encoder that works on this trie gives only ids of this trie; checking them would take a fifth of the time)
        if ids and getattr(encoder, "trie", None) is not self._trie and not 0 <= min(ids) <= max(ids) < size:
            wrong = next(token for token in ids if not 0 <= token < size)
            raise TokenizerError(f"encode: the encoder gave id {wrong}; vocab_size is {size}")
        return ids

    def _encode_special(self, text: str | bytes) -> list[int]:
        if not isinstance(text, str | bytes):
            raise TokenizerError(f"encode: expected str or bytes, not {type(text).__name__}")
        ids: list[int] = []
        for part, token in self.special_names.split(text):
            if part:
                ids += self.encode(part)
            if token is not None:
                ids.append(token)
        return ids

    @property
    def special_names(self) -> SpecialNames:
        """Finds the names of the special tokens in texts."""
        if self._names is None:
            self._names = SpecialNames(self._parts.special_tokens)
        return self._names

    def decode(self, ids: Iterable[int]) -> bytes:
        """The tokens' bytes, one after the other; special tokens give their name.

        Raises:
            TokenizerError: an id is out of range.
        """
        names = self._special_names
        token_bytes = self._trie.token_bytes
        return b"".join([token_bytes(i) or (names[i].encode() if i in names else b"") for i in ids])

    @property
    def canon(self) -> CanonicalRules | None:
        """The rules that tell this tokenizer's own token sequences from others; None where they are not known.

        They are known for tiktoken's encodings whose pattern can be read (`ffgrammar.tokens.pretokenize.pattern`), and
        for most BPE models, byte-level or with byte fallback, whose pre-tokenizer can be read
        (`ffgrammar.tokens.loaders.huggingface_splits`). If the tokenizer puts a text into a Unicode normal form or into
        lower case (`normal_form`), they are the rules for texts in that form. They are not known for a tokenizer that
        changes texts in another way.
        """
        return None if self._parts.rules is None else self._parts.rules.get()

    @property
    def canon_reason(self) -> str | None:
        """Why `canon` is None: which part of the tokenizer is not read. None where the rules are known."""
        if self.canon is not None:
            return None
        return self._parts.reason if self._parts.rules is None else self._parts.rules.reason

    def rules(self, what: str) -> CanonicalRules:
        """`canon`, for the feature `what`. Raises TokenizerError, which names the feature, if `canon` is None."""
        rules = self.canon
        if rules is None:
            raise TokenizerError(
                f"{what}: how tokenizer {self.name!r} cuts and merges is not known: {self.canon_reason} (it is known "
                "for most BPE models; masks and matchers work without)"
            )
        return rules

    def coverings(self, prefix: str | bytes) -> list[Covering]:
        """The coverings of a prefix: the canonical token sequences that reach the end of the prefix with their last
        token. Sequences that differ only in the last token are one `Covering`, which has the kept tokens and the
        candidates for the last token.

        The canonical tokens of each text with this prefix begin with the kept tokens of exactly one covering, followed
        by one of its candidates. The covering whose kept tokens have the most bytes comes first.

        Args:
            prefix: the start of a text; bytes may end inside a character. An empty prefix has no covering.

        Raises:
            TokenizerError: the prefix is neither str nor bytes, no UTF-8 text begins with it, or the tokenizer's rules
                are not known.
        """
        from ffgrammar.tokens.canonical.coverings import coverings
        from ffgrammar.tokens.in_notebooks import Coverings

        if not isinstance(prefix, str | bytes):
            raise TokenizerError(f"coverings: expected str or bytes, not {type(prefix).__name__}")
        data = prefix.encode("utf-8", "surrogatepass") if isinstance(prefix, str) else prefix
        rules = self.rules("coverings")
        return Coverings(coverings(rules, data) if data else [], self.visible_token)

    def tokenize_partial(self, new_bytes: bytes, recent_tokens: Iterable[int] = ()) -> tuple[list[int], bytes]:
        """(tokens, rest) of bytes after which more may come: the tokens that no later bytes can change, and the bytes
        left over.

        Args:
            new_bytes: what follows `recent_tokens`.
            recent_tokens: the last of the tokens so far, or all of them. They need not be canonical. At the
                start of a text there are none.

        If no UTF-8 text has these bytes after `recent_tokens`, all bytes are left over.

        Raises:
            TokenizerError: an id is out of range, or the tokenizer's rules are not known.
            TypeError: `new_bytes` is of another type.
        """
        from ffgrammar.tokens.canonical.coverings import coverings_after, shared_tokens
        from ffgrammar.tokens.canonical.sequence import CanonicalSequence

        expect("tokenize_partial: new_bytes", new_bytes, (bytes, bytearray, memoryview), "bytes")
        sequence = CanonicalSequence(self.rules("tokenize_partial"))
        for token in recent_tokens:
            sequence.push_any(token)
        tokens = shared_tokens(coverings_after(sequence, bytes(new_bytes))) if new_bytes else []
        size = len(self.decode(tokens))
        return tokens, bytes(new_bytes)[size:]

    def dbg_tokens(self, ids: Iterable[int]) -> str:
        """Tokens for people to read: their texts, separated by U+2027. Bytes that are not UTF-8 are shown as \\x..,
        special tokens by name."""
        ids = list(ids)
        shown = [self.decode([token]).decode("utf-8", "backslashreplace") for token in ids]
        return "\u2027".join(text or f"[{token}]" for text, token in zip(shown, ids, strict=True))

    def visible_token(self, token: int) -> str:
        """The text of a token in which everything can be seen: a blank is a middle dot, a line end an arrow, and bytes
        that are not UTF-8 are \\x... A special token is its name.

        Raises:
            TokenizerError: there is no such token id.
        """
        from ffgrammar.draw.text import visible

        return visible(self.token_bytes(token) or self.decode([token]))

    def writes(self, ids: tuple[int, ...]) -> bool:
        """Whether it is certain that the ids are what `encode` makes of their text. Special tokens separate texts.

        The check takes less time than encoding the text. False does not mean no: `is_canonical` gives the answer and
        its reasons.
        """
        check = getattr(self._parts.encoder, "writes", None)
        return check is not None and check(ids, self._special_names)

    def native(self) -> NativeReach | None:
        """An encoder of whole columns (tokens/columns), and the texts that it may be asked about. None if the rules of
        the tokenizer are not known."""
        native = getattr(self._parts.encoder, "native", None)
        found: NativeReach | None = None if native is None else native()
        return found if found is not None and found.encoder.trie is self._trie else None

    def pretoken_ends(self, text: bytes) -> list[int] | None:
        """Where the pre-tokens of a UTF-8 text end: byte offsets, ascending. None if that is not known. No token of the
        text reaches across such an end."""
        return None if self._parts.encoder is None else self._parts.encoder.pretoken_ends(text)

    # An earlier name of `pretoken_ends`.
    piece_ends = pretoken_ends

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: object) -> Tokenizer:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle has the source: the name of an embedded encoding, the path of a file, the object of another package,
        or the tokens that `from_tokens` was given. What comes out of a pickle is the same tokenizer, or an error.

        Raises:
            TokenizerError: the source is not known, or is a file that is gone or has changed since it was loaded.
        """
        source = self._parts.source
        if source is None:
            raise TokenizerError(f"tokenizer {self.name!r} cannot be pickled: its source is not known")
        if source.maker == "from_tokens":
            source = Source(source.maker, {**source.arguments, **self._listed()})
        return _unpickled, (type(self), *to_pickle(source, self.fingerprint), self.partition_bytes, self.grammar_bytes)

    def _listed(self) -> dict[str, Any]:
        """The arguments of `from_tokens` that make this vocabulary again."""
        return {
            "tokens": list(map(self._trie.token_bytes, range(self.vocab_size))),
            "eos_token_id": self.eos_token_ids,
            "special_tokens": self.special_tokens,
        }

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name!r}: {self.vocab_size} ids, EOS {list(self.eos_token_ids)}>"


def _cache_bytes(name: str, value: int) -> int:
    """A value for the attribute `name`, the budget of a cache. Raises TokenizerError if it is no such value."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TokenizerError(f"{name} must be an int that is not negative, not {value!r}")
    return min(value, 4 << 30)


def _unpickled(cls: type[Tokenizer], *state: Any) -> Tokenizer:
    """The tokenizer of a pickle. Raises TokenizerError if it cannot be made again."""
    *source, partition_bytes, grammar_bytes = state
    made: Tokenizer = from_pickle(cls, *source)
    made.partition_bytes, made.grammar_bytes = partition_bytes, grammar_bytes
    return made
