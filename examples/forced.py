"""How many tokens of a text need no call of the model, because they are forced."""

from __future__ import annotations

import ffgrammar as ff

SCHEMA = {
    "type": "object",
    "properties": {
        "temperature_in_celsius": {"type": "integer"},
        "probability_of_rain": {"type": "number", "minimum": 0, "maximum": 1},
        "description": {"type": "string"},
    },
    "required": ["temperature_in_celsius", "probability_of_rain", "description"],
    "additionalProperties": False,
}
TEXT = '{"temperature_in_celsius":21,"probability_of_rain":0.3,"description":"mostly sunny"}'


def main() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    matcher = ff.compile_json_schema(SCHEMA, tok, separators=(",", ":")).matcher()
    tokens = tok.encode(TEXT)  # what a model would write, one call for each token that is not forced
    at = forced = 0
    while at < len(tokens):
        new = matcher.forced_tokens()
        assert tokens[at : at + len(new)] == new, "forced tokens are those that the tokenizer writes"
        forced += len(new)
        new = new or tokens[at : at + 1]
        matcher.accept_tokens(new)
        at += len(new)
    assert matcher.is_accepting()
    print(f"{forced} of {len(tokens)} tokens were forced")


if __name__ == "__main__":
    main()
