"""The masks of all requests of a step.

With speculation a request has a mask before each of its drafted tokens, and one after the last. All matchers of a step
write theirs in one call, on several threads.
"""

from __future__ import annotations

from typing import Any

from vllm.v1.structured_output.utils import strip_speculative_padding

from ffgrammar.core.errors import FFGrammarError
from ffgrammar.engine.matcher.batch import fill_draft_bitmasks
from ffgrammar.integrations.vllm.backend import FFGrammarGrammar
from ffgrammar.integrations.vllm.spelling import only_forced

__all__ = ["step_masks"]

# The rows of one request: its grammar, the first row that it writes, and the drafted tokens that it follows.
_Job = tuple[FFGrammarGrammar, int, list[int]]


def step_masks(manager: Any, requests: Any, ids: list[str], drafts: dict[str, list[int]]) -> Any:
    """The masks of a step: int32 [rows, words], as numpy.

    Args:
        manager: the engine's `StructuredOutputManager`.
        requests: all requests by their ids.
        ids: the requests of the step, in the order of their rows.
        drafts: their drafted tokens. A request has one row more than drafted tokens. After the first -1, which stands
            for no token, rows are not constrained.
    """
    with manager.backend.metrics.masks():
        if manager._grammar_bitmask is None:
            rows = manager.vllm_config.scheduler_config.max_num_seqs * (1 + manager.vllm_config.num_speculative_tokens)
            manager._grammar_bitmask = manager.backend.allocate_token_bitmask(rows)
        bitmask = manager._grammar_bitmask.numpy()
        jobs: list[_Job] = []
        free: list[tuple[int, int]] = []
        at = 0
        for name in ids:
            request, tokens = requests[name], drafts.get(name, [])
            real = strip_speculative_padding(tokens)
            start, constrained = manager._get_constraint_bounds(request, real)
            grammar = request.structured_output_request.grammar
            end = at + len(tokens) + 1
            if start > len(real) or grammar.is_terminated():
                free.append((at, end))
            else:
                jobs.append((grammar, at + start, real[start:]))
                # Rows before the answer begins, and rows after the last real token.
                free += [(at, at + constrained), (at + len(real) + 1, end)]
            at = end
        _fill(jobs, bitmask)
        for first, last in free:
            bitmask[first:last] = -1
    return bitmask[:at]


def _fill(jobs: list[_Job], bitmask: Any) -> None:
    """Write the masks of all jobs."""
    together = [job for job in jobs if job[0].stops is None]
    try:
        accepted = fill_draft_bitmasks(
            [job[0].matcher for job in together],
            [job[2] for job in together],
            bitmask,
            [job[1] for job in together],
        )
    except FFGrammarError:
        # One of them met a bound. Each alone, the others get their masks.
        together, accepted = [], []
    for (grammar, first, tokens), count in zip(together, accepted, strict=True):
        for number, token in enumerate(grammar.spelling(tokens[:count])):
            only_forced(bitmask[first + number], token)
        if count and not bitmask[first + count].any():
            bitmask[first + count] = -1  # (the text has ended)
        # No token after a refused one is kept. Its rows repeat the last mask, as those of vLLM do.
        bitmask[first + count + 1 : first + len(tokens) + 1] = bitmask[first + count]
    if len(together) < len(jobs):
        done = {id(job) for job in together}
        for job in jobs:
            if id(job) not in done:
                _fill_one(job, bitmask)


def _fill_one(job: _Job, bitmask: Any) -> None:
    """Write the masks of one job, one after another."""
    import torch

    grammar, first, tokens = job
    rows = torch.from_numpy(bitmask)
    count = len(grammar.validate_tokens(tokens))
    for number in range(count + 1):
        if grammar.is_terminated():
            bitmask[first + number] = -1
        else:
            grammar.fill_bitmask(rows, first + number)
        if number < count:
            grammar.try_token(tokens[number])
    grammar.rollback(count)
    bitmask[first + count + 1 : first + len(tokens) + 1] = bitmask[first + count]
