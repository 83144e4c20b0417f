"""Loaders: they read the tokenizers of other packages. Reading needs none of these packages; some encoders do.

In reading order:

    tiktoken            a `tiktoken.Encoding`
    huggingface_splits  the pre-tokenizers of a tokenizer.json, as patterns
    name_index          a hash table from names to ids
    name_table          names of tokens by id, and ids by name
    neighbours          which kinds of characters are neighbours in names
    implied_splits      where a vocabulary cuts texts although there is no pre-tokenizer
    json_scanner        JSON text read byte by byte
    merge_texts         where the names of merges lie in the text of a tokenizer.json
    merge_names         the ids of the merges of a tokenizer.json, which names tokens
    vocabulary_entries  where the names of a vocabulary lie in the text of a tokenizer.json, and which ids they have
    vocabulary_json     the big parts of a tokenizer.json
    huggingface_units   what the model of a tokenizer.json works on: letters for bytes, or characters
    added_tokens        added tokens that are found in a text before anything else is done with it
    huggingface_rules   how a tokenizer.json cuts and merges, or that this cannot be known exactly
    encoders            encoders that work by rules, and encoders that call other people's code
    huggingface_encoder the encoder of Hugging Face's tokenizers
    identity            whether a file is still the one that was read
    parts               what a tokenizer is made of
    vocabulary_cache    the cache directory: vocabularies that were read from files
    source              where a tokenizer came from, and pickles
    reading             what a loader reads
    build               makes the parts of a tokenizer of what a loader reads
    sentencepiece_model what a model of sentencepiece says, from its file
    unigram             the encoder of a unigram model
    unigram_models      the unigram model in a tokenizer.json or in a model of sentencepiece
    wordpiece           the bytes of WordPiece tokens
    huggingface_files   the files of a model: its tokenizer.json, and what is beside it
    huggingface_decoder the bytes that a token's name stands for
    huggingface         a tokenizer.json as a whole: bytes of tokens, special tokens, end-of-text tokens
    sentencepiece       a model of sentencepiece as a whole
    gguf_patterns       how the pre-tokenizers that a GGUF file names cut a text
    gguf                the vocabulary of a GGUF file
    ranks               rank files of tiktoken and Llama, and Mistral's tekken.json
    word_list           word lists of RWKV
    model_folder        the tokenizer's file in a model's folder
    files               what kind of tokenizer a file has, by its content
    packed_rules        what rules with listed merges are made of
    rules_cache         such rules, kept beside the vocabularies of files
    late_reading        the rules and the encoder of a tokenizer whose vocabulary came from the cache
    cached_file         the tokenizer in a file, with its vocabulary from the cache if it is there
    makers              make the parts of a tokenizer from what a caller gives
"""
