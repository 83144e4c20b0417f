"""Models of other packages, as `Model.of` takes them.

Each keeps the keys and values of what it ran last, so a prompt that several calls share runs once.

    from ffgrammar.lm.adapters.transformers_model import TransformersModel
    from ffgrammar.lm.adapters.llama_cpp_model import LlamaCppModel

    model = lm.Model.of(LlamaCppModel(llama_cpp.Llama("model.gguf")))

In reading order:

    log_softmax         log-probabilities of a model's logits
    paths               which tokens a model must run to answer a batch of questions
    transformers_model  `TransformersModel`: a causal model of transformers
    llama_cpp_rows      rows of tokens side by side in llama.cpp
    llama_cpp_model     `LlamaCppModel`: a model of llama-cpp-python
"""
