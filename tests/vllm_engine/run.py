"""Requests in one engine of vLLM, one line of JSON about each: python -m vllm_engine.run '{"backend": "auto", …}'.

`compare` starts one such process for each backend, since an engine has one backend only.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass
from typing import Any

from vllm_engine.model import SETTINGS, engine

__all__ = ["FORCED_ONLY", "Plan"]

FORCED_ONLY = {
    "method": "custom_class",
    "model": "ffgrammar.integrations.vllm.drafts.ForcedTokensOnly",
    "num_speculative_tokens": 8,
}
PROMPT = "JSON: "


@dataclass
class Plan:
    """What one process does.

    Attributes:
        requests: pairs of a name and a schema.
        backend: vLLM's name of the backend.
        speculation: vLLM's `speculative_config`, if there is one.
        compact: whether JSON has no white space.
        concurrency: how many requests are under way at a time.
        max_tokens: how long an answer may be.
        plain: whether a request without a grammar comes before each other one, to compare times.
        in_turns: whether a request starts only after a line of the standard input, one request at a time.
    """

    requests: list[tuple[str, Any]]
    backend: str = "auto"
    speculation: dict[str, Any] | None = None
    compact: bool = False
    concurrency: int = 32
    max_tokens: int = 64
    plain: bool = False
    in_turns: bool = False
    temperature: float = 0.0


class _Runner:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        config = {"backend": plan.backend, "disable_any_whitespace": plan.compact}
        # (before torch is imported: it reads how many threads it may use once)
        os.environ.update(SETTINGS)
        if plan.backend in ("auto", "ffgrammar"):
            from ffgrammar.integrations.vllm.plugin import register

            register()  # (so that vLLM knows what the configuration may say before it loads plugins)
        self.llm = engine(together=True, structured_outputs_config=config, speculative_config=plan.speculation)
        self.engine = self.llm.llm_engine
        self.seen: dict[str, dict[str, Any]] = {}

    def add(self, name: str, schema: Any) -> bool:
        """Start a request. Returns whether it was taken."""
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        asked = None if schema is None else StructuredOutputsParams(json=schema)
        params = SamplingParams(
            temperature=self.plan.temperature, seed=1, max_tokens=self.plan.max_tokens, structured_outputs=asked
        )
        self.seen[name] = {"name": name, "begin": time.perf_counter(), "cpu": time.process_time(), "steps": 0}
        try:
            self.engine.add_request(name, PROMPT, params)
        except Exception as error:
            self.tell(name, refused=f"{type(error).__name__}: {error}"[:300])
            return False
        return True

    def step(self) -> int:
        """One step of the engine. Returns how many requests ended."""
        ended = 0
        for output in self.engine.step():
            one = self.seen[output.request_id]
            one["steps"] += 1
            if "first" not in one:
                one["first"] = time.perf_counter() - one["begin"]
                # (of all threads of the process, so it is the request's own if there is one at a time)
                one["first_cpu"] = time.process_time() - one["cpu"]
            if output.finished:
                answer = output.outputs[0]
                ended += 1
                self.tell(
                    output.request_id, text=answer.text, tokens=len(answer.token_ids), reason=answer.finish_reason
                )
        return ended

    def tell(self, name: str, **more: Any) -> None:
        one = self.seen.pop(name)
        print(json.dumps({**one, **more}), flush=True)

    def run(self) -> None:
        waiting = []
        for name, schema in self.plan.requests:
            waiting += [(f"plain {name}", None)] if self.plan.plain else []
            waiting.append((name, schema))
        waiting.reverse()
        under_way = 0
        while waiting or under_way:
            while waiting and under_way < self.plan.concurrency:
                if self.plan.in_turns:
                    sys.stdin.readline()
                under_way += self.add(*waiting.pop())
            under_way -= self.step()
        figures = {}
        for metric in self.llm.get_metrics():
            if "ffgrammar" in metric.name or "spec_decode" in metric.name:
                figures[metric.name] = getattr(metric, "value", None) or getattr(metric, "sum", None)
        print(json.dumps({"metrics": figures}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plan", help="a file with the fields of Plan as JSON")
    with open(parser.parse_args().plan, encoding="utf-8") as file:
        _Runner(Plan(**json.load(file))).run()


if __name__ == "__main__":
    main()
