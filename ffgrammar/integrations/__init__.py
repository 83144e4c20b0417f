"""The engine in the libraries that run models.

In reading order:

    batch_state   the masks of a batch whose rows are known by their token histories
    transformers  logits processors and a generation loop for transformers
    llama_cpp     a logits processor and a draft model for llama-cpp-python

Each of the last two needs its library, which is imported with it.
"""
