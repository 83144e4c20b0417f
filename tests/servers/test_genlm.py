"""genlm-control: the properties that its own test methods ask of potentials; and a model over bytes, beside sums over
all canonical token sequences."""

from __future__ import annotations

import asyncio
import itertools
import math
from typing import Any

import numpy as np
import pytest
from genlm.backend.tokenization import Token

import ffgrammar as ff
from ffgrammar.integrations.genlm import CanonicalByteLM, GrammarPotential


def test_properties_of_potentials(tok: ff.Tokenizer) -> None:
    grammar = ff.compile_regex("(ab|ac)d*", tok)
    ids = [tok.encode(text)[0] for text in ("a", "b", "c", "d", "ab", "dd", "x")]
    potential = GrammarPotential(grammar, [Token(token, tok.token_bytes(token)) for token in dict.fromkeys(ids)])
    a, b, _, d, *_ = potential.vocab

    async def check() -> None:
        for context in ([], [a], [a, b], [a, b, d, d]):
            await potential.assert_logw_next_consistency(context)
            await potential.assert_autoreg_fact(context)
            indices, value, eos = await potential.sparse_logw_next(context)
            dense = (await potential._logw_next_dense(context)).weights
            found = np.full(len(potential.vocab) + 1, -math.inf)
            found[indices], found[-1] = value, eos
            assert np.array_equal(found, dense)
        await potential.assert_batch_consistency([[a], [a, b]])
        assert await potential.prefix([b]) == -math.inf == await potential.complete([a])
        with pytest.raises(ValueError, match="no text of the grammar begins"):
            await potential.logw_next([b])

    asyncio.run(check())


def test_bytes_and_all_tokens(tok: ff.Tokenizer) -> None:
    grammar = ff.compile_regex("[ab]{2}", tok)
    plain = GrammarPotential(grammar, [b"a", b"b", b"ab"])
    whole = GrammarPotential(grammar)

    async def check() -> None:
        assert await plain.complete([b"ab"]) == 0.0 == await plain.complete([b"a", b"b"])
        assert await plain.prefix([b"ab", b"a"]) == -math.inf
        indices, _, _ = await whole.sparse_logw_next([])
        assert {bytes(whole.vocab[place]) for place in indices} >= {b"a", b"b", b"ab"}

    asyncio.run(check())
    with pytest.raises(ff.TokenizerError, match="is no token"):
        GrammarPotential(grammar, [b"no such token"])


class Table:
    """A model whose log probabilities depend on the last token alone."""

    def __init__(self, size: int) -> None:
        scores = np.random.default_rng(1).normal(size=(32, size))
        self._rows = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)

    def row(self, ids: Any) -> Any:
        return self._rows[ids[-1] % 31 if len(ids) else 31]

    async def next_token_logprobs(self, ids: list[int]) -> Any:
        return self.row(ids)


def test_sums_over_canonical_sequences() -> None:
    """Beside a sum over all token sequences of a few tokens: those that the tokenizer itself makes."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    model = Table(tok.vocab_size)
    lm = CanonicalByteLM(model, tok)

    def weight(ids: tuple[int, ...]) -> float:
        return float(sum(model.row(ids[:place])[token] for place, token in enumerate(ids)))

    async def check() -> None:
        for prefix in (b" th", b"ab", b"x 1"):
            total = []
            for count in range(1, len(prefix) + 1):
                # all cuts of the prefix into `count` tokens, the last of which may be longer
                for cuts in itertools.combinations(range(1, len(prefix)), count - 1):
                    parts = [prefix[start:end] for start, end in itertools.pairwise((0, *cuts, len(prefix)))]
                    first = tuple(tok.trie.id_of(part) for part in parts[:-1])
                    if min(first, default=0) < 0:
                        continue
                    for token in range(tok.vocab_size):
                        ids = (*first, token)
                        data = tok.token_bytes(token)
                        if data.startswith(parts[-1]) and _is_canonical(tok, ids):
                            total.append(weight(ids))
            assert await lm.prefix([bytes([byte]) for byte in prefix]) == pytest.approx(np.logaddexp.reduce(total))
            ids = tuple(tok.encode(prefix))
            ends = np.logaddexp.reduce([model.row(ids)[token] for token in tok.eos_token_ids])
            assert await lm.complete([bytes([byte]) for byte in prefix]) == pytest.approx(weight(ids) + ends)
        assert await lm.prefix([b"\xff"]) == -math.inf == await lm.complete([b"\xc3"])
        assert await lm.prefix([]) == 0.0

    asyncio.run(check())


def _is_canonical(tok: ff.Tokenizer, ids: tuple[int, ...]) -> bool:
    """Whether some text has these tokens as its first ones, by the tokenizer's rules."""
    return ff.CanonicalityTracker(tok).extend(ids) != "no"


def test_a_real_model(model: Any, hf_tokenizer: Any, tok: ff.Tokenizer) -> None:
    """Bytes that the sum finds probable are those that genlm's beam over all sequences finds probable."""
    from genlm.backend.llm import AsyncTransformer
    from genlm.bytes import BeamParams
    from genlm.control import ByteLLM

    llm = AsyncTransformer(model, hf_tokenizer)
    context = [b" ", b"t", b"h"]

    async def check() -> None:
        ours = CanonicalByteLM(llm, tok, tok.encode("The cat sat on"))
        theirs = ByteLLM(llm, BeamParams(K=20, eos_byte_strings=[b"<|im_end|>"]))
        theirs.set_prompt_from_str("The cat sat on")
        found, beam = (await ours.logw_next(context)).weights[:256], (await theirs.logw_next(context)).weights[:256]
        assert found.argmax() == np.asarray(beam).argmax() == ord("e")
        assert 0.9 < np.exp(np.logaddexp.reduce(found)) <= 1 + 1e-6
        await theirs.cleanup()

    asyncio.run(check())
