"""ffgrammar as the backend of vLLM's structured outputs.

vLLM loads the plugin `ffgrammar` in each of its processes, if the package is installed beside it. From then on the
backend "auto", which is the default, and "ffgrammar" are this one. Backends that are named otherwise stay what they
are. In reading order:

    plugin      what vLLM calls: puts the other files where vLLM asks for a backend
    naming      the names of this backend
    vocabulary  from a tokenizer of vLLM to one of ffgrammar, and to what compiles for it
    validation  a request is refused before it reaches the engine
    stops       the tokens at which a request ends
    spelling    the tokens of what a grammar forces
    backend     the backend, and the grammar of one request
    row_masks   the masks of all requests of a step, along their drafted tokens
    drafts      forced tokens as drafts, so that a step writes several tokens
    metrics     what is counted and measured

Importing this folder costs nothing; its files need vLLM.
"""
