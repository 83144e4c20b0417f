r"""How llama.cpp's pre-tokenizers cut a text. A GGUF file names its pre-tokenizer. For each name, this module has the
patterns that llama.cpp applies one after another.

    NAMED["qwen2"]         # Cuts(patterns=(...), whole=False)
    cuts_of(None)          # for a file that names no pre-tokenizer: llama.cpp's default

Two things differ from the patterns of the models themselves. Beyond ASCII, llama.cpp does not tell \p{Lu} and \p{Ll}
apart: a letter counts as both. And where case is ignored, llama.cpp still matches only ASCII letters in a contraction
such as 's. (A model's own pattern also matches a quote and U+017F, the long s.)
"""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.tokens.loaders.huggingface_splits import GPT2

__all__ = ["NAMED", "Cuts", "cuts_of"]


class Cuts(NamedTuple):
    """Patterns, and whether a pre-token that is itself a token stays whole, without any merging."""

    patterns: tuple[str, ...]
    whole: bool = False


def _members(ranges: str) -> str:
    """A class of characters from its ranges in hexadecimal."""
    return "[" + "".join("-".join(rf"{chr(int(end, 16))}" for end in one.split("-")) for one in ranges.split()) + "]"


CONTRACTIONS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
LINES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
OTHERS = rf" ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{LINES}"
LLAMA3 = rf"{CONTRACTIONS}|{WORDS}|\p{{N}}{{1,3}}|{OTHERS}"
QWEN2 = rf"{CONTRACTIONS}|{WORDS}|\p{{N}}|{OTHERS}"
QWEN35 = rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{LINES}"
BAILING = rf"{CONTRACTIONS}|{WORDS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
SEED = rf"{CONTRACTIONS}|{WORDS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{LINES}"
EXAONE = (
    rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|\p{{N}}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
)
UPPER, LOWER = r"(?:(?=\p{L})[^a-z])", r"(?:(?=\p{L})[^A-Z])"
CASED = r"[^\r\n\p{{L}}\p{{N}}]?{0}*{1}+{2}|[^\r\n\p{{L}}\p{{N}}]?{0}+{1}*{2}"
SLASHES = rf" ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{LINES}"
GPT4O = rf"{CASED.format(UPPER, LOWER, CONTRACTIONS + '?')}|\p{{N}}{{1,3}}|{SLASHES}"
TEKKEN = rf"{CASED.format(UPPER, LOWER, '')}|\p{{N}}|{SLASHES}"

ASIAN = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
MARKED = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+"
DEEPSEEK3 = (r"\p{N}{1,3}", ASIAN, rf"{MARKED}[\r\n]*|{LINES}")
SPARK = (r"\p{N}{1,3}", ASIAN, rf"{MARKED}|[\r\n]|\s+(?!\S)|\s+", r"\p{N}")
ASIAN_SIGNS = _members("ff01 2026 201c 201d 2018 2019 2014 ff1a ff1b ff0c 3001-303f fe30-fe4f")
YOUTU = (
    rf"{_members('ac00-d7a3 3131-318e')}+|{ASIAN_SIGNS}+|{_members('3105-312f')}+|{ASIAN}",
    rf"[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+{CONTRACTIONS}?|\p{{N}}|{SLASHES}",
)
# (In a pattern without a property such as \p{L}, llama.cpp matches white space beyond ASCII with \s only, and never
# with a class of characters. The look-ahead takes white space out of the class.)
WIDE = rf"(?:(?!\s){_members('4e00-9fa5 800-4e00 ac00-d7ff')})+"
ALPHABETS = _members(
    "41-5a 61-7a b5 c0-d6 d8-f6 f8-1ba 1bc-1bf 1c4-293 295-2af 370-373 376 377 37b-37d 37f 386 388-38a 38c 38e-3a1 "
    "3a3-3f5 3f7-481 48a-52f 531-556 10a0-10c5 13a0-13f5 13f8-13fd 1c90-1cba 1cbd-1cbf 1d00-1d2b 1d6b-1d77 1d79-1d9a "
    "1e00-1f15 1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 1f59 1f5b 1f5d 1f5f-1f7d 1f80-1fb4 1fb6-1fbc 1fbe 1fc2-1fc4 "
    "1fc6-1fcc 1fd0-1fd3 1fd6-1fdb 1fe0-1fec 1ff2-1ff4 1ff6-1ffc 2102 2107 210a-2113 2115 2119-211d 2124 2126 2128 "
    "212a-212d 212f-2134 2139 213c-213f 2145-2149 214e 2183 2184 2c00-2c7b 2c7e-2ce4 2ceb-2cee 2cf2 2cf3 a640-a66d "
    "a680-a69b a722-a76f a771-a787 a78b-a78e ab70-abbf fb00-fb06 fb13-fb17 ff21-ff3a ff41-ff5a 10400-1044f 104b0-104d3 "
    "104d8-104fb 10c80-10cb2 10cc0-10cf2 118a0-118df 1e900-1e943"
)
SIGNS = _members("21-2f 3a-7e ff01-ff0f ff1a-ff5e 2018-201f 3001-3002")
# (llama.cpp has \s+$ as the fourth pattern: white space at the end of a part that the first three have cut. The two
# look-aheads say the same.)
DEEPSEEK = (r"[\r\n]", rf"\s?{ALPHABETS}+", rf"\s?{SIGNS}+", r"\s+(?!\s)(?!\S)", WIDE, r"\p{N}+")
CODER = (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", WIDE, r"\p{N}")
THREE = "[0-9][0-9][0-9]"
FALCON = (r"[\p{P}\$\+<=>\^~\|`]+", GPT2, THREE)
DEFAULT = (r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", THREE)
BLOOM = " ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"

NAMED = {
    name: cuts
    for names, cuts in [
        ("default", Cuts(DEFAULT)),
        ("gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert", Cuts((GPT2,))),
        ("jina-v1-en jina-v2-code roberta-bpe mpt olmo jais trillion granite-docling exaone4", Cuts((GPT2,))),
        ("starcoder refact command-r smollm codeshell exaone minerva-7b mellum2", Cuts((r"\p{N}", GPT2))),
        ("llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano", Cuts((LLAMA3,), whole=True)),
        ("glm4 glm5", Cuts((LLAMA3,), whole=True)),
        ("dbrx smaug-bpe chatglm-bpe", Cuts((LLAMA3,))),
        ("minicpm5", Cuts((r"\p{N}{1,3}", LLAMA3.replace("{1,3}", "+")), whole=True)),
        ("qwen2 deepseek-r1-qwen kormo f2llmv2 stablelm2 megrez hunyuan grok-2 solar-open", Cuts((QWEN2,))),
        ("qwen35", Cuts((QWEN35,))),
        ("laguna", Cuts((r"[^\n]+|[\n]+", QWEN2))),
        ("ufakzeka", Cuts((rf"{WORDS}|\p{{N}}|{OTHERS}",))),
        ("bailingmoe bailingmoe2 llada-moe", Cuts((BAILING,))),
        ("seed-coder", Cuts((SEED,))),
        ("exaone-moe", Cuts((EXAONE,))),
        ("gpt-4o llama4 kanana2 talkie minimax-m2", Cuts((GPT4O,))),
        ("tekken", Cuts((TEKKEN,), whole=True)),
        ("deepseek-v3 hunyuan-dense joyai-llm hy_v4", Cuts(DEEPSEEK3)),
        ("spark2_5", Cuts(SPARK)),
        ("youtu", Cuts(YOUTU, whole=True)),
        ("deepseek-llm", Cuts(DEEPSEEK)),
        ("deepseek-coder", Cuts(CODER)),
        ("falcon", Cuts(FALCON)),
        ("bloom poro-chat gpt3-finnish", Cuts((BLOOM,))),
        ("viking", Cuts((BLOOM, r"\p{N}"))),
    ]
    for name in names.split()
}


def cuts_of(name: str | None) -> Cuts | None:
    """How the pre-tokenizer of this name cuts. The name None means llama.cpp's default. Returns None if the name is not
    known here."""
    return NAMED.get(name or "default")
