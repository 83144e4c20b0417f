"""The proof that masks are exact: `python tests/long_checks masks DOCUMENTS`.

Along the documents of MaskBench schemas each mask is compared with the tokens whose bytes the matcher accepts.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np

import ffgrammar as ff
from ffgrammar_cli.bench.data import Schema, load_schemas
from long_checks.documents import arguments
from oracle.masks import ByteTree, brute_force_mask
from shared_data import dev_set

__all__ = ["main", "mask_of", "vocabulary_tree"]


def vocabulary_tree(tokenizer: Any) -> ByteTree:
    """All tokens of a tokenizer that have bytes to a grammar: special tokens have none."""
    special = set(tokenizer.special_tokens.values()) | set(tokenizer.eos_token_ids)
    ids = (token for token in range(tokenizer.vocab_size) if token not in special)
    return ByteTree((token, tokenizer.token_bytes(token)) for token in ids)


def mask_of(bitmask_row: np.ndarray[Any, np.dtype[np.int32]]) -> set[int]:
    """The token ids of a filled bitmask row."""
    return set(np.flatnonzero(np.unpackbits(bitmask_row.view(np.uint8), bitorder="little")).tolist())


def main() -> int:
    """The script; the exit status is 1 if a mask differs."""
    parser = arguments("masks", __doc__)
    parser.add_argument("documents", type=int, help="how many, first one of each schema")
    parser.add_argument("--tokenizer", default="cl100k_base", help="an embedded vocabulary (cl100k_base)")
    options = parser.parse_args()
    documents = options.documents
    schemas = load_schemas(dev_set())
    tokenizer = ff.Tokenizer.from_tiktoken(options.tokenizer)
    bitmask = ff.allocate_bitmask(1, tokenizer.vocab_size)
    tree = vocabulary_tree(tokenizer)
    pool = [(schema, number) for schema in schemas for number in range(len(schema.instances))]
    random.Random(0).shuffle(pool)
    firsts: dict[str, tuple[Schema, int]] = {}
    for schema, number in pool:
        firsts.setdefault(schema.id, (schema, number))
    rest = [one for one in pool if firsts[one[0].id] is not one]
    walked = masks = wrong = 0
    for schema, number in [*firsts.values(), *rest]:
        if walked == documents:
            break
        try:
            matcher = ff.compile_json_schema(schema.schema, tokenizer).matcher()
        except ff.FFGrammarError:
            continue
        walked += 1
        for place, token in enumerate(tokenizer.encode(schema.instances[number].written())):
            matcher.fill_bitmask(bitmask)
            found = mask_of(bitmask[0])
            expected = brute_force_mask(matcher, tree, tokenizer.eos_token_ids)
            masks += 1
            if found != expected:
                wrong += 1
                print(
                    f"{schema.id} document {number} token {place}: {len(found - expected)} too many "
                    f"{sorted(found - expected)[:10]}, {len(expected - found)} missing {sorted(expected - found)[:10]}"
                )
            if not matcher.accept_token(token):
                break
        print(f"long_checks: {walked}/{documents} documents, {masks} masks, {wrong} wrong", file=sys.stderr, flush=True)
    print(f"{masks} masks along {walked} documents against brute force: {wrong} differ")
    return 1 if wrong else 0
