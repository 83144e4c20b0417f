"""vLLM with ffgrammar: a schema, a regex, a choice and a grammar in one batch. The argument is a model's name.

The plugin is found by itself. Here vLLM also takes what a grammar forces as drafts, so that it writes several tokens in
one step.
"""

from __future__ import annotations

import sys

from vllm import LLM, SamplingParams
from vllm.sampling_params import StructuredOutputsParams

FORCED_TOKENS = {
    "method": "custom_class",
    "model": "ffgrammar.integrations.vllm.drafts.ForcedTokensOnly",
    "num_speculative_tokens": 8,
}
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer", "maximum": 120}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
REQUESTS = [
    StructuredOutputsParams(json=PERSON),
    StructuredOutputsParams(regex=r"\d{4}-\d{2}-\d{2}"),
    StructuredOutputsParams(choice=["yes", "no"]),
    StructuredOutputsParams(grammar='start: "SELECT " NAME " FROM " NAME\nNAME: /[a-z]{1,9}/'),
]


def main() -> None:
    llm = LLM(
        sys.argv[1],
        max_model_len=1024,
        max_num_seqs=8,
        enforce_eager=True,
        async_scheduling=False,
        speculative_config=FORCED_TOKENS,
        disable_log_stats=False,
    )
    chat = [{"role": "user", "content": "Anna was born on the 3rd of May 1990. Is she older than thirty?"}]
    params = [SamplingParams(temperature=0, max_tokens=40, structured_outputs=one) for one in REQUESTS]
    for output in llm.chat([chat] * len(params), params, use_tqdm=False):
        print(output.outputs[0].text.strip())
    counts = {metric.name: metric.value for metric in llm.get_metrics() if "forced_tokens" in metric.name}
    print(f"{counts['vllm:ffgrammar_forced_tokens_accepted']} tokens were forced")


if __name__ == "__main__":
    main()
