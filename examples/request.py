"""A request of OpenAI's chat completions: the grammar of its answers, and what an answer says. Random scores stand in
for a model, in the format of Qwen's."""

from __future__ import annotations

import json

import numpy as np

import ffgrammar as ff

REQUEST = {
    "model": "qwen3",
    "messages": [{"role": "user", "content": "Is it warm in Oslo?"}],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "strict": True,
                "parameters": {
                    "type": "object",
                    "properties": {
                        "city": {"enum": ["Oslo", "Rome"]},
                        "days": {"type": "integer", "maximum": 9, "minimum": 1},
                    },
                    "required": ["city", "days"],
                    "additionalProperties": False,
                },
            },
        }
    ],
    "tool_choice": "required",
    "parallel_tool_calls": False,
}


def main() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    grammar = ff.compile_request(REQUEST, tok, format="hermes")
    assert grammar is not None  # (it would be None if every text were an answer)
    matcher = grammar.matcher()
    random = np.random.default_rng(1)
    while not matcher.is_terminated():
        new = matcher.forced_tokens() or [int(random.choice(matcher.allowed_token_ids()))]
        assert matcher.accept_tokens(new) == len(new)
    print(matcher.text_bytes.decode())
    for call in ff.read_answer(matcher, REQUEST, format="hermes").calls:
        print(call.name, json.loads(call.arguments))


if __name__ == "__main__":
    main()
