"""Real tokenizers: where their files are, and what their reference packages make of a text."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
from pathlib import Path

from ffgrammar.tokens.loaders.encoders import NO_DUMMY_PREFIX
from ffgrammar.tokens.loaders.files import TokenizerFile, find_file
from ffgrammar.tokens.loaders.ranks import read_rank_file, read_tekken
from ffgrammar.tokens.tokenizer import Tokenizer
from oracle.real_unigram import Encode, unigram_reference
from oracle.trained import continuing

__all__ = ["FAMILIES", "Encode", "reference", "reference_of", "tokenizers_dir"]

# One file of each family, below the folder that `make tokenizers` fills. GGUF files have no reference package.
FAMILIES = {
    "Baichuan": "baichuan2",
    "ChatGLM": "chatglm3",
    "Claude": "claude",
    "Command R": "command_r_plus",
    "DeepSeek": "deepseek_v3",
    "Gemma": "gemma3",
    "GPT-2": "gpt3",
    "gpt-oss": "gptoss",
    "InternLM": "internlm2",
    "Llama 2": "llama2",
    "Llama 3": "llama3",
    "Llama 3, ranks": "llama-models/llama_models/llama3/tokenizer.model",
    "Mistral, sentencepiece": "mistral-common/mistral_common/data/mistral_instruct_tokenizer_240323.model.v3",
    "Mistral, tekken": "mistral-common/mistral_common/data/tekken_240911.json",
    "Mistral Nemo": "mistral_nemo",
    "Qwen": "qwen3",
    "Yi": "yi",
    "GGUF, Command R": "llama-cpp-python/ggml-vocab-command-r.gguf",
    "GGUF, DeepSeek Coder": "llama-cpp-python/ggml-vocab-deepseek-coder.gguf",
    "GGUF, DeepSeek LLM": "llama-cpp-python/ggml-vocab-deepseek-llm.gguf",
    "GGUF, Falcon": "llama-cpp-python/ggml-vocab-falcon.gguf",
    "GGUF, Gemma 4": "llama-cpp-python/ggml-vocab-gemma-4.gguf",
    "GGUF, GPT-2": "llama-cpp-python/ggml-vocab-gpt-2.gguf",
    "GGUF, Llama 2": "llama-cpp-python/ggml-vocab-llama-spm.gguf",
    "GGUF, Llama 3": "llama-cpp-python/ggml-vocab-llama-bpe.gguf",
    "GGUF, MPT": "llama-cpp-python/ggml-vocab-mpt.gguf",
    "GGUF, Qwen 3.5": "llama-cpp-python/ggml-vocab-qwen35.gguf",
    "GGUF, StarCoder": "llama-cpp-python/ggml-vocab-starcoder.gguf",
}


def tokenizers_dir() -> Path | None:
    """The folder of real tokenizers: $FFGRAMMAR_TOKENIZERS, else build/tokenizers, where `make tokenizers` puts them;
    None if it is not there."""
    named = os.environ.get("FFGRAMMAR_TOKENIZERS")
    path = Path(named) if named else Path(__file__).resolve().parents[2] / "build" / "tokenizers"
    return path if path.is_dir() else None


def reference_of(tok: Tokenizer, path: Path) -> Encode:
    """The reference for the rules of a tokenizer that was loaded from a path. A GGUF file has no reference package. Its
    reference is ffgrammar's own encoder, which the long check `tokenizers` compares with llama.cpp's ids."""
    file = find_file(path)
    return tok.encode if file.kind == "gguf" else reference(file, tok.eos_token_ids, normalizes=False)


def reference(file: TokenizerFile, eos_token_ids: tuple[int, ...] = (), normalizes: bool = True) -> Encode:
    """What the reference package makes of a text that continues another (of a whole text, if the model is unigram).

    Args:
        file: the tokenizer.
        eos_token_ids: ids that end a text. In a text their names are ordinary text, like those of special tokens.
        normalizes: whether a text is put into the normal form that the tokenizer asks for. The rules are about texts in
            this form. So they are compared with a tokenizer that leaves texts as they are.
    """
    unigram = unigram_reference(file)
    if unigram is not None:
        return unigram
    if file.kind == "huggingface":
        import tokenizers

        config = continuing(json.loads(file.data)) | {"post_processor": None, "truncation": None, "padding": None}
        for token in config.get("added_tokens") or []:
            token["special"] = token["special"] or token["id"] in eos_token_ids
        normalizer = config.get("normalizer")
        if not normalizes and normalizer is not None and normalizer["type"].startswith("NF"):
            config["normalizer"] = None
        hf = tokenizers.Tokenizer.from_str(json.dumps(config))
        hf.encode_special_tokens = True
        return lambda text: list(hf.encode(text, add_special_tokens=False).ids)
    if file.kind == "sentencepiece":
        import sentencepiece

        processor = sentencepiece.SentencePieceProcessor()
        processor.LoadFromSerializedProto(file.data + NO_DUMMY_PREFIX)
        return lambda text: list(processor.encode(text))
    if file.kind == "words":
        return _rwkv(Path(file.path))
    import tiktoken

    if file.kind == "tekken":
        read = read_tekken(Path(file.path), file.data)
        count = json.loads(file.data)["config"]["default_num_special_tokens"]
    else:
        read = read_rank_file(Path(file.path), file.data, None)
        count = 0
    if read.embedded is not None:
        lines = [line.split() for line in file.data.splitlines()]
        ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    else:
        ranks = {token: rank for rank, token in enumerate(read.tokens[count:]) if token}
    assert read.pattern is not None
    encoding = tiktoken.Encoding("reference", pat_str=read.pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: [count + token for token in encoding.encode_ordinary(text)]


def _rwkv(path: Path) -> Encode:
    """The tokenizer that the package `rwkv` has beside its word list."""
    spec = importlib.util.spec_from_file_location("rwkv_tokenizer", path.parent / "rwkv_tokenizer.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    encode: Encode = module.TRIE_TOKENIZER(str(path)).encode
    return encode
