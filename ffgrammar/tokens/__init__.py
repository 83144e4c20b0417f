"""Tokens: vocabularies, encoders, and which token sequences are canonical (the tokenizer's own).

The files in this folder are the facade, which the floors above and the public API use. In reading order:

    tokenizer    `Tokenizer`: a vocabulary, its special tokens and its encoder
    report       whether a token sequence is canonical, and where it first is not
    tracker      whether a sequence is canonical while it grows
    in_notebooks reports and coverings as HTML
    incremental  the tokens of a text that grows or is cut at its end

They stand on six rooms, each of which imports only those before it:

    vocabulary   tokens by id and by bytes, in a packed trie; the embedded encodings
    pretokenize  where a text is cut into pre-tokens
    bpe          merging the bytes of a pre-token, and which tokens merges leave side by side
    unigram      the best path of a unigram model through a text
    canonical    the rules of canonical sequences, and coverings of a prefix
    loaders      tokenizers in the forms of other packages: tiktoken, Hugging Face, sentencepiece, GGUF, Mistral, RWKV

One room stands on them:

    columns      many texts or token lists at a time, in flat arrays
"""
