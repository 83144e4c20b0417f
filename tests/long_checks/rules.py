"""The rules of real tokenizers against their reference packages: `python tests/long_checks rules FOLDER`.

One tokenizer of each family below the folder (tests/oracle/real.py) is checked as cl100k_base is in the test suite:
sequences that grow, what may follow them, coverings, canonical masks and forced tokens at all places of finite
languages, with prompts and without. The reference is the package `tokenizers`, `tiktoken` or `sentencepiece`. GGUF
files have none: there it is the encoder here, which `tests/long_checks tokenizers` compares with llama.cpp's ids.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import ffgrammar as ff
from long_checks.documents import arguments
from oracle.real import FAMILIES, reference_of
from oracle.rules_checks import check_coverings, check_following, check_masks, check_prompts, check_sequences

__all__ = ["main"]

# How much of each check the test suite makes on such a tokenizer: sequences, places, prefixes, languages, languages
# after prompts
CHECKS = [(check_sequences, 300), (check_following, 3), (check_coverings, 12), (check_masks, 20), (check_prompts, 20)]


def _check(path: Path, times: int) -> tuple[str, bool]:
    """(the cells of a line of the table, whether nothing is wrong)."""
    tok = ff.Tokenizer.from_file(path)
    if tok.canon is None:
        return f"no rules: {tok.canon_reason} | | | | |", True
    encode = reference_of(tok, path)
    cells = []
    is_right = True
    for check, count in CHECKS:
        try:
            found = check(tok, encode, Random(1), times * count)
            cells.append(str(found[0] + found[1] if check is check_sequences else found))
        except AssertionError as error:
            is_right = False
            cells.append(f"wrong: {str(error)[:200]}")
    return " | ".join(cells) + " |", is_right


def main() -> int:
    parser = arguments("rules", __doc__)
    parser.add_argument("folder", type=Path, help="where the files are, as make tokenizers puts them")
    parser.add_argument("--times", type=int, default=10, help="how many times as much as in the test suite (10)")
    parser.add_argument("--family", action="append", choices=FAMILIES, help="only this one; all by default")
    given: Any = parser.parse_args()
    print("| family | sequences | tokens after others | coverings | masks | masks after prompts, prompts cut back |")
    print("|---|---|---|---|---|---|")
    wrong = 0
    for family in given.family or FAMILIES:
        path = given.folder / FAMILIES[family]
        if not path.exists():
            print(f"| {family} | not there | | | | |", flush=True)
            continue
        line, is_right = _check(path, given.times)
        print(f"| {family} | {line}", flush=True)
        wrong += not is_right
    print(f"{wrong} families with differences")
    return int(wrong > 0)
