"""Tests with vLLM itself, on the CPU: `make test-vllm`. In reading order:

sentences       a parser of reasoning, for the engine
model           SmolLM2 as vLLM loads it, and an engine
test_backend    the backend under the contract of vLLM's base classes
test_plugin     where vLLM chooses a backend, and how requests are refused
test_vocabulary tokenizers of all kinds, as vLLM loads them
test_proposal   the patch of docs/vllm-backends.md
test_engine     requests of all kinds, from the prompt to the text
run             many requests in one engine: `python -m vllm_engine.run` (of which `compare` starts several)
compare         forward steps, time to first token, and the development set, beside vLLM's other backends
"""
