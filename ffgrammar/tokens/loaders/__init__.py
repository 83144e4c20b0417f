"""Loaders: they read the tokenizers of other packages without importing these packages.

In reading order:

    tiktoken            a `tiktoken.Encoding`
    huggingface_splits  the pre-tokenizers of a tokenizer.json, as patterns
    huggingface_rules   how a tokenizer.json cuts and merges, or that this cannot be known exactly
    encoders            encoders by rules, and those that are someone else's code
    huggingface         a tokenizer.json as a whole: bytes of tokens, special tokens, EOS
    ranks               rank files of tiktoken and Llama, and Mistral's tekken.json
    files               which of these a file is, by its content
"""
