"""The rules of a tokenizer against its encoder: sequences that grow, what follows them, coverings, canonical masks.

Each check takes the tokenizer, what the reference makes of a text, and how much to try. It returns how much was
compared, and raises AssertionError where the two differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import ffgrammar as ff
from ffgrammar.tokens.tokenizer import Tokenizer
from oracle.canonical import Encode, changed_tokens, coverings, is_begun, sequence_of, split_end
from oracle.languages import allowed, compare, some_language, some_text

__all__ = [
    "check_along",
    "check_coverings",
    "check_following",
    "check_masks",
    "check_prompts",
    "check_sequences",
    "rules_text",
]

PARTS = [*" \n\t'Ab1!/\u4e2d\u0301\u00a0\r", "  ", "   ", "\r\n", "'s", "'ll", "'LL", "'\u017f", "//", "22", "\u0663"]
WORDS = ["don", "word", "Xy", "the", " and", " a", "ing", "x", "er", "\u00c9", "\u2026", "\u02b0", "\u65e5\u672c"]
OTHERS = ["\u2028", "\U0001f44d", "\U0001f642", "\u0928\u092e\u0938\u094d", "\u043f\u0440\u0438\u0432\u0435"]


def rules_text(random: Random, most: int) -> str:
    """A text of parts that pre-tokenizers and merges tell apart."""
    return "".join(random.choice(PARTS + WORDS + OTHERS) for _ in range(random.randrange(1, most)))


def _begun(encode: Encode, tok: Tokenizer, ids: Sequence[int], random: Random, expected: bool) -> bool:
    """Whether some text has these tokens as its first. Where that is expected and a quick look finds no such text, the
    search goes on: a token inside a character may come only if the token after it reaches into the next character."""
    data = tok.decode(ids)
    found = is_begun(encode, data, ids, random)
    if found or not expected:
        return found
    texts = (split_end(data + tok.token_bytes(token)) for token in range(tok.vocab_size))
    if any(encode(text)[: len(ids)] == list(ids) for text, rest in filter(None, texts) if not rest):
        return True
    return is_begun(encode, data, ids, random, every=True)


def check_sequences(tok: Tokenizer, encode: Encode, random: Random, count: int) -> tuple[int, int, int]:
    """Tokens of a text, changed: a sequence is refused exactly if no text has it as its first tokens, and is whole
    exactly if its text is encoded as this sequence. Returns how many may go on, how many may not, how many are
    whole."""
    alive = dead = whole = 0
    for _ in range(count):
        ids = changed_tokens(random, tok, rules_text(random, 7))
        if ids is None:
            continue
        data = tok.decode(ids)
        sequence = sequence_of(tok, ids)
        assert (sequence is not None) == _begun(encode, tok, ids, random, sequence is not None), ids
        if sequence is None:
            dead += 1
            continue
        alive += 1
        parts = split_end(data)
        is_whole = parts is not None and not parts[1] and encode(parts[0]) == ids
        assert sequence.is_whole == is_whole, ids
        whole += is_whole
    return alive, dead, whole


def check_following(tok: Tokenizer, encode: Encode, random: Random, count: int) -> int:
    """The tokens that may follow a sequence are those that can be pushed, and those that some text has there. Returns
    how many tokens were tried."""
    places = tokens = 0
    while places < count:
        data = rules_text(random, 4).encode()
        ids = tok.encode(data[: random.randrange(1, len(data) + 1)] if places % 3 == 0 else data)
        sequence = sequence_of(tok, ids)
        if sequence is None:
            continue
        places += 1
        found = set(sequence.following())
        others = random.sample(range(tok.vocab_size), 60)
        for token in [*random.sample(sorted(found), min(60, len(found))), *others]:
            tokens += 1
            pushed = sequence.copy().push(token)
            assert (token in found) == pushed, (ids, token)
            assert pushed == _begun(encode, tok, [*ids, token], random, pushed), (ids, token)
    return tokens


def check_coverings(tok: Tokenizer, encode: Encode, random: Random, count: int) -> int:
    """Coverings of a prefix are those of texts that begin with it. Returns how many coverings there were."""

    def sizes(token: int) -> int:
        return len(tok.token_bytes(token))

    def candidates(start: bytes) -> list[bytes]:
        under = tok.trie.subtree(start)
        return [tok.token_bytes(token) for token in random.sample(under, min(12, len(under)))]

    sequences = 0
    for _ in range(count):
        data = rules_text(random, 4).encode()
        data = data[: random.randrange(1, len(data) + 1)][:14]
        found = {(*one.kept, int(token)) for one in tok.coverings(data) for token in one.candidates}
        brute = coverings(encode, sizes, candidates, data, random)
        assert brute <= found, (data, brute - found)
        for ids in random.sample(sorted(found), min(40, len(found))):
            assert _begun(encode, tok, ids, random, True), (data, ids)
        sequences += len(found)
    return sequences


def check_masks(tok: Tokenizer, encode: Encode, random: Random, count: int) -> int:
    """Canonical masks and forced tokens at all places of finite languages. Returns how many places there were."""
    places = 0
    for _ in range(count):
        sentences = some_language(random)
        matcher = ff.compile_choice(sentences, tok).matcher(canonical=True)
        places += compare(tok, matcher, {tuple(encode(text)) for text in sentences}, random)
    return places


def check_along(
    tok: Tokenizer, grammar: ff.Grammar, tokens: Iterable[int], random: Random, most: int = 300
) -> tuple[int, int]:
    """Canonical masks along tokens, up to the first that may not come, against accepting `most` of the plain tokens.
    Masks of a grammar leave notes, and accepting reads them. So the tokens are accepted under a copy that makes no
    masks: each is a search of its own. Returns how many tokens were tried, and how many refused."""
    with TemporaryDirectory() as folder:
        grammar.save(Path(folder) / "grammar.ffg")
        copy = ff.load(Path(folder) / "grammar.ffg", tok)
    plain, masked, asked = grammar.matcher(), grammar.matcher(canonical=True), copy.matcher(canonical=True)
    tried = refused = 0
    for token in tokens:
        mask = allowed(masked)
        wanted = sorted(allowed(plain))
        for other in random.sample(wanted, min(len(wanted), most)):
            accepted = asked.accept_token(other)
            assert accepted == (other in mask), tok.token_bytes(other)
            if accepted:
                asked.rollback(1)
            refused += not accepted
            tried += 1
        if not masked.accept_token(token):
            break
        assert plain.accept_token(token) and asked.accept_token(token)
    return tried, refused


def check_prompts(tok: Tokenizer, encode: Encode, random: Random, count: int) -> tuple[int, int]:
    """`check_masks` after prompts, whose last tokens are taken back where a sentence may change them. Returns how many
    places there were, and how many prompts were cut back."""
    places = taken_back = 0
    for _ in range(count):
        sentences = some_language(random)
        prompt = some_text(random, 12)
        grammar = ff.compile_choice(sentences, tok)
        matcher = grammar.matcher(canonical=True, prompt=prompt)
        whole = {tuple(encode(prompt + text)) for text in sentences}
        kept, rest = matcher.prompt_tokens, matcher.prompt_rest
        assert all(ids[: len(kept)] == kept for ids in whole), (prompt, sentences)
        assert tok.decode(kept) + rest == prompt.encode()
        if len({ids[: len(kept) + 1] for ids in whole}) == 1 and rest:
            # all begin with one more token: it reaches beyond the prompt
            assert len(tok.token_bytes(next(iter(whole))[len(kept)])) > len(rest)
        taken_back += len(encode(prompt)) > len(kept)
        places += compare(tok, matcher, {ids[len(kept) :] for ids in whole}, random)
        # the masks are the same if the kept tokens are given as the prompt
        if not rest:
            matcher = grammar.matcher(canonical=True, prompt=list(kept))
            compare(tok, matcher, {ids[len(kept) :] for ids in whole}, random)
    return places, taken_back
