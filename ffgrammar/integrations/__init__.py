"""The engine in the libraries that run models.

In reading order:

    requests           what servers are asked for: a kind of request and its text in, a compiled grammar out
    batch_state        the masks of a batch whose rows are known by their token histories
    transformers       logits processors and a generation loop for transformers
    llama_cpp          a logits processor and a draft model for llama-cpp-python
    vllm               the backend of vLLM's structured outputs, which vLLM finds by itself
    sglang             a grammar backend for SGLang, which finds it by itself
    outlines           a logits processor for Outlines
    mlx_lm             a logits processor for mlx-lm
    tensorrt_llm       a logits processor for TensorRT-LLM
    exllamav3          a filter for ExLlamaV3
    onnxruntime_genai  a generation loop for onnxruntime-genai
    genlm              potentials for genlm-control, and a language model over bytes

Those after `batch_state` need their libraries, which are imported with them.
"""
