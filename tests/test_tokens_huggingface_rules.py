"""The rules of Hugging Face tokenizers, and the encoder that is made of them: against the package `tokenizers`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.api.compile import compile_regex
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.bpe.merge_list import MergeList
from ffgrammar.tokens.bpe.merges import Merges
from ffgrammar.tokens.bpe.packed_parts import pack_parts
from ffgrammar.tokens.canonical.rules import CanonicalRules
from ffgrammar.tokens.canonical.sequence import CanonicalSequence
from ffgrammar.tokens.loaders.added_tokens import MAX_SLICED, Beginnings, begins_in
from ffgrammar.tokens.loaders.build import build_parts
from ffgrammar.tokens.loaders.huggingface import read_tokenizer
from ffgrammar.tokens.loaders.huggingface_rules import ListedRules, read_rules
from ffgrammar.tokens.loaders.huggingface_splits import WHOLE_TEXT
from ffgrammar.tokens.loaders.huggingface_units import byte_alphabet
from ffgrammar.tokens.report import is_canonical
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.normal_form import FORMS, is_normal
from ffgrammar.tokens.vocabulary.trie import TokenTrie
from oracle.canonical import changed_tokens, coverings, is_begun, sequence_of
from oracle.forced import forced_mismatches
from oracle.languages import compare as compare_masks
from oracle.languages import some_language
from oracle.trained import CL100K, KINDS, byte_fallback, byte_level, compare, continuing, make, random_text, some_texts

pytest.importorskip("tokenizers")

BYTES_OF_A_KIND = 150_000
BY_CHARACTERS = {
    "llama 2",
    "metaspace",
    "mistral",
    "metaspace and digits",
    "gemma",
    "few characters",
    "odd characters",
    "added spaces",
    "found spaces",
    "lower case on characters",
}


# Bytes that the kind "missing bytes" cannot write
MISSING = frozenset(b"\x03\x0b\xf2")
# Kinds that have added tokens
ADDED = ("added", "found", "gemma", "overlapping")


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def hf_encode(hf: Any) -> Callable[[str], list[int]]:
    """What a tokenizer makes of a text that is in its normal form already."""
    config = json.loads(hf.to_str())
    normalizer = config["normalizer"] or {"normalizers": []}
    steps = normalizer.get("normalizers", [normalizer])
    left = [step for step in steps if step["type"] not in FORMS]
    if len(left) < len(steps):
        config["normalizer"] = {"type": "Sequence", "normalizers": left}
        hf = type(hf).from_str(json.dumps(config))
        hf.encode_special_tokens = True
    return lambda text: list(hf.encode(text, add_special_tokens=False).ids)


def has_form(tok: Tokenizer, data: bytes) -> bool:
    """Whether the whole characters of a text are in the tokenizer's normal form."""
    return tok.normal_form is None or is_normal(tok.normal_form, data.decode("utf-8", "ignore"))


def text_for(kind: str, random: Random, most: int) -> str:
    """A text as a tokenizer's tokens spell it."""
    text = random_text(random, most)
    return text.replace("\u2581", " ") if kind in BY_CHARACTERS else text


@pytest.mark.parametrize("kind", KINDS)
def test_parts_are_the_same_if_all_bytes_are_compared(kind: str) -> None:
    """Bytes are compared for `renamed` tokens only."""
    read = read_tokenizer(KINDS[kind]())
    parts = build_parts(read, None)
    assert isinstance(read.rules, ListedRules) and read.rules.renamed is not None
    packed = read.rules.make_packed(parts.trie)[1]
    assert pack_parts(packed.make(parts.trie).merges) == pack_parts(
        packed._replace(renamed=None).make(parts.trie).merges
    )


def test_encodes_as_tokenizers_does(kind: str, covered: Callable[[str], None]) -> None:
    size = compare(*make(kind), BYTES_OF_A_KIND)
    covered(f"{kind}: {size:,} bytes")


def test_bytes_that_are_no_text(kind: str) -> None:
    hf, tok = make(kind)
    other = read_tokenizer(hf).encoder
    assert other.rules is None
    random = Random(4)
    for _ in range(300):
        data = bytearray(random_text(random, 8).encode())
        for _ in range(random.randint(1, 3)):
            data.insert(random.randint(0, len(data)), random.randrange(0x80, 0xF5))
        cut = bytes(data[: random.randint(0, len(data))])
        found = tok.encode(cut)
        if kind not in BY_CHARACTERS and has_form(tok, cut) and (kind != "missing bytes" or MISSING.isdisjoint(cut)):
            assert tok.decode(found) == cut
        # (by the rules, added tokens are pre-tokens; `other` has no rules, and finds them inside the pre-tokens)
        assert found == other.encode(cut) or kind.startswith(ADDED), cut
    assert tok.encode("a\ud800b") == tok.encode("a\ufffdb") == other.encode("a\ud800b")


def test_pretokens_are_those_of_tokenizers(kind: str) -> None:
    hf, tok = make(kind)
    other = read_tokenizer(hf).encoder
    random = Random(6)
    known = 0
    for _ in range(300):
        text = random_text(random, 10)
        expected = other.pretoken_ends(text.encode())
        found = tok.pretoken_ends(text.encode())
        if expected is not None and found is not None and not kind.startswith(ADDED):
            # (without a pre-tokenizer, pre-tokens are what the vocabulary implies)
            assert found == expected or (kind == "mistral" and set(found) >= set(expected)), text
            known += 1
    assert known == 300 or kind.startswith(ADDED) or kind in BY_CHARACTERS or tok.normal_form is not None


def test_sequences_that_grow(kind: str, covered: Callable[[str], None]) -> None:
    hf, tok = make(kind)
    encode = hf_encode(hf)
    random = Random(5)
    alive = dead = whole = 0
    for _ in range(1500):
        ids = changed_tokens(random, tok, text_for(kind, random, 6))
        if ids is None:
            continue
        data = tok.decode(ids)
        sequence = sequence_of(tok, ids)
        assert (sequence is not None) == is_begun(encode, data, ids, random), (ids, data)
        if sequence is None:
            dead += 1
            continue
        alive += 1
        try:
            is_whole = encode(data.decode()) == ids
        except UnicodeDecodeError:
            is_whole = False
        assert sequence.is_whole == is_whole, (ids, data)
        whole += is_whole
    assert min(alive, dead, whole) > 100
    covered(f"{kind}: {alive} sequences may go on, {whole} are whole, {dead} are nobody's")


def test_walks_under_the_masks_are_their_own_encoding(kind: str) -> None:
    hf, tok = make(kind)
    encode = hf_encode(hf)
    assert tok.canon is not None
    grammar = compile_regex("(?s:.*)", tok)
    random = Random(3)
    for _ in range(40):
        sequence = CanonicalSequence(tok.canon)
        matcher = grammar.matcher(canonical=True)
        ids: list[int] = []
        while len(ids) < 15 or not sequence.is_whole:
            following = sequence.following()
            assert following, ids
            eos = set(tok.eos_token_ids) if sequence.is_whole else set()
            assert set(matcher.allowed_token_ids().tolist()) == {*following} | eos, ids
            if random.random() < 0.1:
                for token in random.sample(range(tok.vocab_size), 30):
                    assert (token in following) == sequence.copy().push(token), (ids, token)
            # often one of the first: these are the short ones, and the ones that cut characters
            ids.append(random.choice(following[:300] if random.random() < 0.4 else following))
            assert sequence.push(ids[-1]) and matcher.accept_token(ids[-1])
        assert encode(tok.decode(ids).decode()) == ids
        assert bool(is_canonical(tok, ids)) == has_form(tok, tok.decode(ids))


def test_neighbours_are_those_of_the_model(kind: str, covered: Callable[[str], None]) -> None:
    hf, tok = make(kind)
    assert tok.canon is not None
    merges = tok.canon.merges
    random = Random(8)
    names = {token: name for name, token in json.loads(hf.to_str())["model"]["vocab"].items()}
    tokens = [token for token in names if tok.token_bytes(token) and merges.parts(token) != ()]
    if tok.canon.whole_pretokens:
        pytest.skip("the model looks for whole pre-tokens first")
    plain = [token for token in tokens if not (names[token].startswith("<0x") and len(names[token]) == 6)]
    together = count = 0
    for _ in range(5000):
        one, other = random.choice(plain), random.choice(plain)
        if random.random() < 0.5:
            # the name of one token, cut in two
            text = names[random.choice(plain)]
            cut = random.randrange(len(text))
            found = [hf.token_to_id(text[:cut]), hf.token_to_id(text[cut:])]
            if None in found or found[0] not in names or found[1] not in names or not set(found) <= set(plain):
                continue
            one, other = found
        expected = [token.id for token in hf.model.tokenize(names[one] + names[other])] == [one, other]
        assert merges.may_follow(one, other) == expected, (one, other)
        count += 1
        together += expected
    assert 0 < together < count
    covered(f"{kind}: {count} pairs, {together} of which stand side by side")


def test_coverings_are_those_found_by_encoding(kind: str, covered: Callable[[str], None]) -> None:
    hf, tok = make(kind)
    encode = hf_encode(hf)
    random = Random(7)

    def candidates(start: bytes) -> list[bytes]:
        under = tok.trie.subtree(start)
        return [tok.token_bytes(token) for token in random.sample(under, min(12, len(under)))]

    prefixes = sequences = 0
    while prefixes < 25:
        data = text_for(kind, random, 5).encode()
        data = data[: random.randrange(1, len(data) + 1)][:14]
        found = {(*one.kept, int(token)) for one in tok.coverings(data) for token in one.candidates}
        brute = coverings(encode, lambda token: len(tok.token_bytes(token)), candidates, data, random)
        assert brute <= found, (data, brute - found)
        for ids in random.sample(sorted(found), min(40, len(found))):
            assert is_begun(encode, tok.decode(ids), ids, random), (data, ids)
        prefixes += 1
        sequences += len(found)
    covered(f"{kind}: {prefixes} prefixes, {sequences} sequences")


def test_each_text_has_one_covering_of_its_beginning(kind: str) -> None:
    _, tok = make(kind)
    random = Random(11)
    for _ in range(200):
        text = text_for(kind, random, 12)
        ids = tok.encode(text)
        data = tok.decode(ids)
        if kind == "missing bytes" and not MISSING.isdisjoint(text.encode()):
            continue
        prefix = data[: random.randrange(1, len(data) + 1)]
        size = count = 0
        while size < len(prefix):
            size += len(tok.token_bytes(ids[count]))
            count += 1
        fitting = [one for one in tok.coverings(prefix) if one.kept == tuple(ids[: count - 1])]
        assert len(fitting) == 1 and ids[count - 1] in fitting[0].candidates, (text, prefix)


SCHEMA = {
    "type": "object",
    "properties": {
        "name_of_the_person": {"enum": ["Alice and Bob", "Alice and Eve", "A\u4e2dlice"]},
        "other words": {"type": "array", "items": {"enum": [1234, 12, "1234567", True]}},
        "import": {"type": "object", "properties": {"def": {"type": "string"}}, "required": ["def"]},
    },
    "required": ["name_of_the_person", "other words", "import"],
    "additionalProperties": False,
}
VALUES = [
    {"name_of_the_person": name, "other words": words, "import": {"def": text}}
    for name in ("Alice and Bob", "A\u4e2dlice")
    for words in ([], [12], [1234, "1234567", True, True])
    for text in ("", "x", "return the self. \u4e2d\u6587 \U0001f642", "\n\n\n", "  if <think> 12345")
]


def test_forced_tokens_are_what_comes(kind: str, covered: Callable[[str], None]) -> None:
    hf, tok = make(kind)
    encode = hf_encode(hf)
    grammar = ff.compile_json_schema(SCHEMA, tok)
    places = forced = 0
    for value in VALUES:
        for separators in ((", ", ": "), (",", ":")):
            text = json.dumps(value, ensure_ascii=False, separators=separators)
            ids = encode(text)
            assert forced_mismatches(grammar.matcher(), ids) == []
            places += len(ids)
            matcher = grammar.matcher()
            for token in ids:
                forced += bool(matcher.forced_tokens())
                matcher.accept_token(token)
    assert forced > 0
    covered(f"{kind}: {places} places, tokens are forced at {forced}")


def converted(tok: Tokenizer, pattern: str) -> dict[str, Any]:
    """The tokenizer.json of an embedded vocabulary, as Llama 3 has its own: all ways to make a token are listed."""
    letters = {value: letter for letter, value in byte_alphabet().items()}
    ranks = {tok.token_bytes(token): token for token in range(tok.vocab_size) if tok.token_bytes(token)}
    names = {text: "".join(letters[value] for value in text) for text in ranks}
    merges = []
    for text in sorted(ranks, key=ranks.__getitem__):
        cuts = [(text[:cut], text[cut:]) for cut in range(1, len(text))]
        pairs = [(ranks[one], ranks[other], one, other) for one, other in cuts if one in ranks and other in ranks]
        merges += [[names[one], names[other]] for _, _, one, other in sorted(pairs)]
    special = [{"id": number, "content": name, "special": True} for name, number in tok.special_tokens.items()]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {
        "version": "1.0",
        "added_tokens": [token | flags for token in sorted(special, key=lambda token: token["id"])],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False},
                {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
            ],
        },
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": True,
            "vocab": {names[text]: number for text, number in ranks.items()},
            "merges": merges,
        },
    }


@pytest.fixture(scope="module")
def large(cl100k: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    folder = tmp_path_factory.mktemp("converted")
    (folder / "tokenizer.json").write_text(json.dumps(converted(cl100k, CL100K)))
    return Tokenizer.from_huggingface(folder)


def test_an_embedded_vocabulary_converted(large: Tokenizer, cl100k: Tokenizer, covered: Callable[[str], None]) -> None:
    assert large.canon is not None and cl100k.canon is not None
    assert large.canon.merges.pairs is not None and not large.canon.has_unmergeable
    size = 0
    for text in some_texts(2_000_000, 9):
        assert large.encode(text) == cl100k.encode(text)
        size += len(text.encode())
    covered(f"{size:,} bytes, {large.canon.merges.pairs.ranks} merges")
    random = Random(1)
    for _ in range(20_000):
        one, other = random.randrange(100_000), random.randrange(100_000)
        assert large.canon.merges.may_follow(one, other) == cl100k.canon.merges.may_follow(one, other)
    for _ in range(60):
        text = random_text(random, 8).encode()
        data = text[: random.randrange(1, len(text) + 1)]
        found = [[(one.kept, one.bitmask) for one in tok.coverings(data)] for tok in (large, cl100k)]
        assert [kept for kept, _ in found[0]] == [kept for kept, _ in found[1]] and found[0] == found[1]
        ids = cl100k.encode(data)
        chains = sequence_of(large, ids), sequence_of(cl100k, ids)
        if chains[0] is None or chains[1] is None:
            assert chains == (None, None)
        else:
            assert chains[0].following() == chains[1].following()


def test_the_converted_one_encodes_as_tiktoken(large: Tokenizer, shared_dir: Path) -> None:
    pytest.importorskip("tiktoken")
    from shared_data import encoding

    theirs = encoding("cl100k_base", shared_dir)
    for text in some_texts(500_000, 10):
        assert large.encode(text) == theirs.encode_ordinary(text)


@pytest.mark.parametrize("kind", ["whole text", "mistral"])
def test_a_megabyte_that_is_one_pretoken(kind: str) -> None:
    _, tok = make(kind)
    random = Random(1)
    for text in ("e" * 1_000_000, "".join(random.choice("etaoin \n\u4e2d") for _ in range(700_000))):
        begun = time.process_time()
        ids = tok.encode(text)
        assert time.process_time() - begun < 20
        assert tok.decode(ids) == text.encode()


def test_no_package_is_needed(tmp_path: Path) -> None:
    for name in ("llama 3", "llama 2"):
        hf, _ = make(name)
        hf.save(str(tmp_path / "tokenizer.json"))
        code = (
            "import sys; sys.modules['tokenizers'] = None\n"
            "from ffgrammar.tokens.tokenizer import Tokenizer\n"
            f"print(Tokenizer.from_huggingface({str(tmp_path)!r}, eos_token_ids=()).encode('the quick \u4e2d'))\n"
        )
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert json.loads(result.stdout) == hf.encode("the quick \u4e2d", add_special_tokens=False).ids


def refused(config: dict[str, Any]) -> Tokenizer:
    """A tokenizer whose rules are not known: it encodes as `tokenizers` does."""
    import tokenizers

    tok = Tokenizer.from_huggingface(tokenizers.Tokenizer.from_str(json.dumps(config)), eos_token_ids=())
    assert tok.canon is None
    hf = tokenizers.Tokenizer.from_str(json.dumps(continuing(config)))
    hf.encode_special_tokens = True
    if not config["model"].get("dropout"):
        for text in some_texts(20_000, 12):
            assert tok.encode(text) == hf.encode(text, add_special_tokens=False).ids
    return tok


SPLITS = [
    *({"type": name} for name in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer")),
    {"type": "Punctuation", "behavior": "Contiguous"},
    *(
        {"type": "Split", "pattern": {"Regex": source}, "behavior": "Isolated", "invert": False}
        for source in (r"\s+$|\s|\S", r"\p{N}{1,3}+", r"[a-z&&b]+", r"[a[^b]]+", r"a{2}?", r"\b\w+")
    ),
    # one character may match where the pattern has two letters, or the other way round
    *(
        {"type": "Split", "pattern": {"Regex": source}, "behavior": "Isolated", "invert": False}
        for source in ("(?i:ss)", "(?i:(?:ss))", "(?i:[s]s)", "(?i:\u00df)", r"(?i:[\w])(?=x)", r"(?i:[_\p{L}])(?=x)")
    ),
    {"type": "Split", "pattern": {"Regex": r"\p{L}+"}, "behavior": "Removed", "invert": True},
    {"type": "Split", "pattern": {"String": " "}, "behavior": "Removed", "invert": False},
    {"type": "Split", "pattern": {"String": "ab"}, "behavior": "MergedWithNext", "invert": False},
    {"type": "Split", "pattern": {"Regex": r"a{1}"}, "behavior": "MergedWithNext", "invert": False},
    {"type": "Split", "pattern": {"Regex": r"(?:a)"}, "behavior": "MergedWithPrevious", "invert": False},
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
]


@pytest.mark.parametrize("step", SPLITS, ids=str)
def test_pre_tokenizers_that_are_not_read(step: dict[str, Any]) -> None:
    config = json.loads(KINDS["llama 3"]().to_str())
    config["pre_tokenizer"]["pretokenizers"].insert(0, step)
    refused(config)


def _steps(*names: str) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": [{"type": name} for name in names]}


NORMALIZERS = [
    {"type": "StripAccents"},
    _steps("NFD", "StripAccents"),
    _steps("NFD", "NFC"),
    _steps("NFD", "Lowercase", "NFC"),
]


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=str)
@pytest.mark.parametrize("name", ["gpt2", "mistral"])
def test_normalizers_that_are_not_read(name: str, normalizer: dict[str, Any]) -> None:
    config = json.loads(KINDS[name]().to_str())
    config["normalizer"] = normalizer
    refused(config)


def test_what_makes_rules_inexact_is_refused() -> None:
    import tokenizers

    config = json.loads(KINDS["gpt2"]().to_str())
    refused(config | {"model": config["model"] | {"dropout": 0.5}})
    lost = {name: number for name, number in config["model"]["vocab"].items() if name != "Q"}
    merges = [pair for pair in config["model"]["merges"] if "Q" not in "".join(pair)]
    lost = {name: number for name, number in lost.items() if "Q" not in name}
    refused(config | {"model": config["model"] | {"vocab": lost, "merges": merges}})
    flagged = byte_level(tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False))
    flagged.add_tokens([tokenizers.AddedToken("<tool>", lstrip=True)])
    refused(json.loads(flagged.to_str()))
    # an added token that is found nowhere in lower case, and a special one that hides an added one there
    for added in ("<Tool>", "er|>x"):
        flagged = byte_level(tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False), added=(added,))
        flagged.add_special_tokens([tokenizers.AddedToken("<|USER|>", normalized=True)])
        refused(json.loads(flagged.to_str()) | {"normalizer": {"type": "Lowercase"}})
    flagged = byte_level(tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False))
    flagged.add_tokens([tokenizers.AddedToken("er|>x", normalized=False)])
    refused(json.loads(flagged.to_str()))
    # without a token for each byte characters become <unk>
    config = json.loads(KINDS["mistral"]().to_str())
    refused(config | {"model": config["model"] | {"byte_fallback": False}})
    other = {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}
    refused(json.loads(byte_fallback({"normalizer": other}).to_str()))
    # ordinary text becomes a special token, or one for a byte
    for text in ("<s>", "<0x41>"):
        config = json.loads(KINDS["mistral"]().to_str())
        for end in range(2, len(text) + 1):
            config["model"]["vocab"].setdefault(text[:end], len(config["model"]["vocab"]) + 10)
            config["model"]["merges"].insert(end - 2, [text[: end - 1], text[end - 1]])
        refused(config)


def test_tokens_of_hundreds_of_bytes(covered: Callable[[str], None]) -> None:
    hf, tok = make("long tokens")
    random = Random(1)

    def run() -> str:
        return random.choice(" -") * random.choice([1, 255, 256, 257, 511, 512, 513, random.randrange(1100)])

    places = 0
    for _ in range(30):
        stem = "a" + run()
        sentences = {stem[: random.randrange(len(stem) + 1)] + random.choice(["b", "- c", "", "\n"]) for _ in range(4)}
        sequences = {tuple(hf.encode(text, add_special_tokens=False).ids) for text in sentences}
        matcher = ff.compile_choice(sorted(sentences), tok).matcher(canonical=True)
        places += compare_masks(tok, matcher, sequences, random)
    covering = tok.coverings(" " * 300)
    assert {size for one in covering for size in map(len, map(tok.token_bytes, one.candidates.tolist()))} >= {512}
    covered(f"{places} places of runs")


def test_masks_where_engines_differ_about_word_characters(covered: Callable[[str], None]) -> None:
    hf, tok = make("word characters")
    random = Random(2)
    places = 0
    for _ in range(25):
        sentences = {text + random.choice("\u00bd\u00b2\u200d_\u24b6") for text in some_language(random)}
        sequences = {tuple(hf.encode(text, add_special_tokens=False).ids) for text in sentences}
        matcher = ff.compile_choice(sorted(sentences), tok).matcher(canonical=True)
        places += compare_masks(tok, matcher, sequences, random)
    covered(f"{places} places")


def test_bytes_that_are_no_token() -> None:
    hf, tok = make("missing bytes")
    for text in ("a\x03b", "\U00080001", "x \x0b y"):
        assert tok.encode(text) == hf.encode(text, add_special_tokens=False).ids
        assert tok.decode(tok.encode(text)) != text.encode()
        with pytest.raises(ff.GrammarError, match="it can write no text of the grammar"):
            ff.compile_choice([text + "c", text + "d"], tok)
        grammar = ff.compile_choice([text + "c", "ad"], tok)
        # (no character of Unicode has the byte that the second text needs)
        assert len(grammar.warnings) == (text != "\U00080001")
        for canonical in (False, True):
            matcher = grammar.matcher(canonical=canonical)
            forced = matcher.forced_tokens()
            assert matcher.accept_tokens(forced) == len(forced) and matcher.is_accepting()


def test_an_end_of_text_that_is_not_marked_as_special() -> None:
    import tokenizers

    config = json.loads(make("gpt2")[0].to_str())
    for token in config["added_tokens"]:
        token["special"] = False
    tok = Tokenizer.from_huggingface(tokenizers.Tokenizer.from_str(json.dumps(config)), eos_token_ids=0)
    assert tok.canon is not None and tok.special_tokens == {"<|endoftext|>": 0}
    assert 0 not in tok.encode("a<|endoftext|>") and tok.encode("a<|endoftext|>", special="allow")[-1] == 0
    assert tok.encode("<|user|>") == [1]


def test_an_end_of_text_that_text_may_become_is_refused() -> None:
    hf, _ = make("gpt2")
    token = hf.token_to_id("the")
    tok = Tokenizer.from_huggingface(hf, eos_token_ids=token)
    assert tok.canon is None and tok.encode("the") == [token]
    assert Tokenizer.from_huggingface(hf, eos_token_ids=()).canon is not None


def test_equal_bytes() -> None:
    """Of tokens with equal bytes the one that the model makes is the one that is forced."""
    hf, tok = make("llama 2")
    letter, byte = hf.token_to_id("A"), hf.token_to_id("<0x41>")
    assert byte < letter and tok.token_bytes(byte) == tok.token_bytes(letter) == b"A"
    assert tok.trie.id_of(b"A") == letter and (letter, byte) in tok.trie.aliases
    assert sequence_of(tok, [letter]) is not None and sequence_of(tok, [byte]) is None
    matcher = ff.compile_choice(["A"], tok).matcher()
    assert matcher.forced_tokens() == [letter]
    assert matcher.accept_token(byte) and matcher.is_accepting()
    # a character that is a token is not spelt in bytes; another one is
    known = [hf.token_to_id(f"<0x{value:02X}>") for value in "\u4e2d".encode()]
    assert sequence_of(tok, known) is None and tok.encode("\u4e2d") == [hf.token_to_id("\u4e2d")]
    others = [hf.token_to_id(f"<0x{value:02X}>") for value in "\U0001f9ec".encode()]
    assert tok.encode("\U0001f9ec") == others and sequence_of(tok, others) is not None


def test_what_is_in_no_text() -> None:
    """U+2581 stands for the space: no text that is decoded has it."""
    hf, tok = make("llama 2")
    assert tok.encode("a\u2581b") == tok.encode("a b")
    assert tok.coverings("a\u2581b") == [] and tok.pretoken_ends("a\u2581b".encode()) is None
    spelt = [hf.token_to_id(f"<0x{value:02X}>") for value in "\u2581".encode()]
    assert sequence_of(tok, spelt) is None and not is_canonical(tok, spelt)


def test_errors() -> None:
    _, tok = make("gpt2")
    assert tok.canon is not None
    for data in (b"\xff", b"a\xc3(", b"\xe4\xb8"):
        with pytest.raises(TokenizerError, match="not UTF-8"):
            tok.canon.encoder.encode_text(data)
        with pytest.raises(TokenizerError, match="not UTF-8"):
            tok.canon.encoder.encode_open(data + b"x", len(data))
    assert tok.canon.encoder.encode_open(b"ab", 1 << 40) == tok.encode("ab")
    few = CanonicalRules(TokenTrie([b"a"]), WHOLE_TEXT.pattern, False, merges=Merges(TokenTrie([b"a"]), MergeList([])))
    with pytest.raises(TokenizerError, match="no token of the vocabulary"):
        few.encoder.encode_text(b"b")
    with pytest.raises(TokenizerError, match="no token for the byte 0x62"):
        few.encoder.byte_token(0x62)
    with pytest.raises(TokenizerError, match="out of range"):
        Merges(TokenTrie([b"a"]), MergeList([]), [7])
    with pytest.raises(TokenizerError, match="needs a vocabulary with a list of merges"):
        Merges(TokenTrie([b"a"])).makes(b"a")


def test_merges_that_cannot_be_read() -> None:
    config = json.loads(KINDS["gpt2"]().to_str())
    for merge in ("a", "a b c", ["a", "\u4e2d"], ["a"], 7):
        # (`tokenizers` cannot read them either)
        read = read_rules_of(config | {"model": config["model"] | {"merges": [merge]}})
        with pytest.raises(TokenizerError, match="is not of two tokens"):
            read.make(Tokenizer.from_huggingface(make("gpt2")[0]).trie)
    old = [" ".join(pair) for pair in config["model"]["merges"]]
    read = read_rules_of(config | {"model": config["model"] | {"merges": ["#version: 0.2", *old]}})
    rules = read.make(make("gpt2")[1].trie)
    assert rules.encoder.encode_text(b"the quick brown") == make("gpt2")[1].encode("the quick brown")


def read_rules_of(config: dict[str, Any]) -> ListedRules:
    tokens: list[bytes | None] = [None] * len(config["model"]["vocab"])
    letters = byte_alphabet()
    for name, number in config["model"]["vocab"].items():
        tokens[number] = bytes(letters[one] for one in name)
    steps = {"normalizer": [], "pre_tokenizer": [{"type": "ByteLevel"}], "decoder": [{"type": "ByteLevel"}]}
    return read_rules(config, steps, tokens, True)


def _changed(hf: Any, **changes: Any) -> Any:
    config = json.loads(hf.to_str())
    model = changes.pop("model", {})
    return type(hf).from_str(json.dumps(config | changes | {"model": config["model"] | model}))


# Kinds whose tokens do not always spell the text that was encoded: it is normalized, or a character is not known.
REWRITING: dict[str, Callable[[], Any]] = {
    "NFC": lambda: _changed(make("gpt2")[0], normalizer={"type": "NFC"}),
    "NFKC": lambda: _changed(make("gpt2")[0], normalizer={"type": "NFKC"}),
    "lower case": lambda: _changed(make("gpt2")[0], normalizer={"type": "Lowercase"}),
    "unknown characters": lambda: _changed(make("mistral")[0], model={"byte_fallback": False}),
}


@pytest.mark.parametrize("name", [*KINDS, *REWRITING])
def test_forced_tokens_are_accepted(name: str) -> None:
    """By the matcher that gave them, in order, whatever the tokenizer does to a text."""
    tok = make(name)[1] if name in KINDS else Tokenizer.from_huggingface(REWRITING[name](), eos_token_ids=())
    random = Random(name)
    words = [
        "cafe\u0301",
        "ole",
        "\u212b",
        "\ufb01ne",
        "A\u030a",
        "Ab",
        "x",
        "\u00e9",
        "\U0001f642",
        '{"a"',
        "\u4e2d",
        "the",
    ]
    forced = 0
    for _ in range(60):
        text = " ".join(random.choices(words, k=random.randrange(1, 5)))
        matcher = ff.compile_choice([f"{text}A", f"{text}B", f"{text}Ab"], tok).matcher()
        while True:
            tokens = matcher.forced_tokens()
            forced += len(tokens)
            assert matcher.accept_tokens(tokens) == len(tokens), (text, tokens)
            allowed = matcher.allowed_token_ids()
            if matcher.is_accepting() or not len(allowed):
                break
            assert matcher.accept_token(int(random.choice(allowed)))
    assert forced > 30


@given(st.text("ab", max_size=6), st.text("ab", max_size=8))
def test_texts_that_begin_inside_others(text: str, other: str) -> None:
    expected = text in other or any(other.endswith(text[:size]) for size in range(1, len(text)))
    assert begins_in(text, other) == expected
    for tail in ("", "x" * MAX_SLICED):
        texts = [other + "y", text or "b", "abc"]
        first = next((one for one in texts if begins_in(one, other + tail)), None)
        assert Beginnings(texts).inside(other + tail) == first
