"""Verifying drafted tokens: one call gives the masks along a draft, and a rollback drops what the model rejects."""

from __future__ import annotations

import numpy as np

import ffgrammar as ff

PATTERN = r"(yes|no), because [a-z ]{1,40}\."
DRAFT = "yes, because It rains"


def main() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    matcher = ff.compile_regex(PATTERN, tok).matcher()
    draft = tok.encode(DRAFT)
    bitmask = ff.allocate_bitmask(len(draft) + 1, tok.vocab_size)
    count = matcher.fill_draft_bitmasks(draft, bitmask)  # the matcher does not move
    print(f"{count} of {len(draft)} drafted tokens are allowed: {tok.dbg_tokens(draft[:count])}")
    bits = np.unpackbits(bitmask[count].view(np.uint8), bitorder="little")[: tok.vocab_size]
    print(f"instead of {tok.token_bytes(draft[count])!r} one of {int(bits.sum())} tokens may come")
    assert matcher.accept_tokens(draft) == count
    matcher.rollback(1)  # the model would have written another last token
    print(f"after the rollback: {matcher.text_bytes.decode()!r}")


if __name__ == "__main__":
    main()
