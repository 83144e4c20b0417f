"""Are the token sequences in a file those that the tokenizer makes of their texts?

    python examples/canonical.py tokens.ndjson

Each line of the file is a JSON array of token ids. Without a file, the three lines in this program are used.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import ffgrammar as ff

LINES = ["[9906, 1917]", "[9906, 220, 14957]", "[5018, 609, 794, 330, 96180, 9388]"]


def main() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines() if sys.argv[1:] else LINES
    bad = 0
    for number, line in enumerate(lines, 1):
        report = ff.is_canonical(tok, json.loads(line))
        if not report:
            bad += 1
            where = report.first_divergence
            assert where is not None
            given, expected = tok.dbg_tokens(report.given[where:]), tok.dbg_tokens(report.expected[where:])
            print(f"line {number}, token {where}: {given} instead of {expected}")
    print(f"{len(lines) - bad} of {len(lines)} lines are canonical")


if __name__ == "__main__":
    main()
