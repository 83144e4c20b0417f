"""genlm-control with a grammar, and a language model over bytes:
python examples/servers/genlm_potentials.py MODEL.gguf"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import torch
from genlm.backend.llm import AsyncTransformer
from genlm.control import AWRS, PromptedLLM
from transformers import AutoModelForCausalLM, AutoTokenizer

import ffgrammar as ff
from ffgrammar.integrations.genlm import CanonicalByteLM, GrammarPotential


async def main(path: Path) -> None:
    torch.manual_seed(1)
    tok = ff.Tokenizer.from_file(path)
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
    llm = AsyncTransformer(model, AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name))

    prompted = PromptedLLM(llm, prompt_ids=tok.encode("A date: "))
    dates = GrammarPotential(ff.compile_regex("20[0-9]{2}-(0[1-9]|1[0-2])", tok), prompted.vocab)
    found = await AWRS(prompted, dates).smc(n_particles=3, ess_threshold=0.5, max_tokens=20)
    for text, probability in found.decoded_posterior.items():
        print(f"{text} {probability:.2f}")

    # Which byte comes after " th"? The sum is over all canonical token sequences.
    by_bytes = CanonicalByteLM(llm, tok, tok.encode("The cat sat on"))
    weights = (await by_bytes.logw_next([b" ", b"t", b"h"])).weights
    print(bytes([int(weights[:256].argmax())]))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
