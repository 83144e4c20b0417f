"""Vocabularies that cannot write every text: a grammar says so when it is compiled, and leaves out what they cannot."""

from __future__ import annotations

import pickle
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.regex.expr.alphabet import Alphabet
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.tokens.vocabulary.characters import characters
from ffgrammar.tokens.vocabulary.trie import TokenTrie
from oracle.real import tokenizers_dir
from oracle.trained import some_texts
from sentences import BYTES

FEW = [b"a", b"b", b"ab", b"{", b'"', b":", b"}", b"\xc3\xa9", b" ", b"x1"]


@pytest.fixture(scope="module")
def few() -> ff.Tokenizer:
    return ff.Tokenizer.from_tokens(FEW, name="few")


def text_of(grammar: ff.Grammar, seed: int) -> str:
    """A text that random tokens of the masks spell. No mask on the way may be empty."""
    random = Random(seed)
    matcher = grammar.matcher()
    ids: list[int] = []
    while not matcher.is_accepting() or (len(ids) < 20 and len(matcher.allowed_token_ids()) and random.random() < 0.8):
        allowed = matcher.allowed_token_ids()
        assert len(allowed), ids
        ids.append(int(random.choice(allowed)))
        assert matcher.accept_token(ids[-1])
        if len(ids) > 500:
            break
    return grammar.tokenizer.decode(ids).decode()


def test_characters(cl100k: ff.Tokenizer, few: ff.Tokenizer) -> None:
    assert cl100k.characters is None
    assert few.characters == {b"a", b"b", b"{", b'"', b":", b"}", b"\xc3\xa9", b" ", b"x", b"1"}
    assert characters(TokenTrie([bytes([value]) for value in range(256)])) is None
    assert characters(TokenTrie([])) == frozenset()
    # the bytes that are tokens spell the character
    assert characters(TokenTrie([b"\xc3", b"\xa9", b"\xc3\xa9"])) == {b"\xc3", b"\xa9"}


def test_what_cannot_be_written_is_left_out_with_a_warning(few: ff.Tokenizer) -> None:
    grammar = ff.compile_choice(["ab", "a-b", "\u00e9", "\u00ea"], few)
    message = "the vocabulary of few has no tokens for '-', the byte 0xaa (in 'choice'): texts with them are left out"
    assert grammar.warnings == (message,)
    assert {text_of(grammar, seed) for seed in range(30)} == {"ab", "\u00e9"}
    assert grammar.matcher().accept_bytes(b"a-b") == 1
    assert ff.compile_choice(["ab", "x1", "\u00e9"], few).warnings == ()
    grammar = ff.compile_lark('start: "a" | B\nB: /c+/', few)
    assert "'c' (in 'B')" in grammar.warnings[0] and text_of(grammar, 0) == "a"
    # nothing is said of what the start symbol does not lead to
    assert ff.compile_lark('start: "a"\nother: "c"', few).warnings == ()
    assert ff.compile_gbnf('root ::= "a" | "c"', few).warnings != ()
    assert ff.compile_regex("[a-c]+", few).warnings != () and ff.compile_regex("[ab]+", few).warnings == ()


def test_a_source_of_which_no_text_can_be_written_is_refused(few: ff.Tokenizer) -> None:
    with pytest.raises(GrammarError, match=r"no tokens for '-', 'c' .*it can write no text of the grammar"):
        ff.compile_choice(["a-b", "c"], few)
    with pytest.raises(GrammarError, match="the byte 0xaa"):
        ff.compile_choice(["\u00ea"], few)
    with pytest.raises(GrammarError, match=r"no tokens for ',', '\[', '\]'"):
        ff.compile_json_schema({"type": "array"}, few)
    two = ff.Tokenizer.from_tokens(["\u4e2d".encode(), "\u6587".encode(), b"a"])
    # each of its bytes is in some token
    with pytest.raises(GrammarError, match="some characters"):
        ff.compile_choice([b"\xe4\x96\x87"], two)


def test_grammars_that_are_saved_composed_or_pickled(few: ff.Tokenizer, tmp_path: Path) -> None:
    grammar = ff.compile_choice(["ab", "a-b"], few)
    grammar.save(tmp_path / "grammar")
    whole = ff.compose(ff.sequence(grammar, ff.choice_of("a", "-")), few)
    assert {text_of(whole, seed) for seed in range(20)} == {"aba"} and len(whole.warnings) >= 1
    for other in (ff.load(tmp_path / "grammar", few), pickle.loads(pickle.dumps(grammar))):
        assert other.warnings == grammar.warnings
        assert {text_of(other, seed) for seed in range(20)} == {"ab"}


def test_schemas_lead_to_no_dead_end(few: ff.Tokenizer, cl100k: ff.Tokenizer) -> None:
    schemas: list[Any] = [
        {"type": "object", "properties": {"a": {"enum": ["b", "c"]}, "c": {"type": "string"}}, "required": ["a"]},
        {"type": "object", "properties": {"c": {}, "ab": {"pattern": "^[a-z]+$", "maxLength": 3, "type": "string"}}},
        {"enum": ["\u00e9", "\u00ea", "a b", {"a": "b"}, ["a"]]},
    ]
    for schema in schemas:
        grammar = ff.compile_json_schema(schema, few, whitespace="compact")
        assert len(grammar.warnings) == 1 and grammar.warnings[0].startswith("the vocabulary of few has no tokens for")
        every = ff.compile_json_schema(schema, cl100k, whitespace="compact")
        for seed in range(20):
            text = text_of(grammar, seed).encode()
            matcher = every.matcher()
            assert matcher.accept_bytes(text) == len(text) and matcher.is_accepting(), text
    with pytest.raises(UnsupportedError, match="counts or remembers"):
        ff.compile_json_schema(
            {"type": "object", "properties": {"a": {"const": "b"}, "c": {"const": "b"}}, "additionalProperties": False},
            few,
            property_order="any",
        )


@pytest.mark.parametrize(
    ("source", "text", "is_sentence"),
    [
        ('start: A "y" | L "-"\nA: "x" | "xyz"\nL[lazy]: "x"', b"xy", True),
        ('start: A D | D ":"\nA: /[xy]+/\nD[lazy]: /[xy]+/', b"xy", True),
        ('start: A "bx" | "y"\nA: "a" | "ab-"', b"abx", False),
        ('start: A B | C\nA: "a"\nB: "b"\nC: "ab-"', b"ab", False),
        ('start: INT "x" | FLOAT | "y"\nINT: "a"\nFLOAT: /ax\\.b/', b"ax", False),
    ],
)
def test_terminals_that_compete_stay_as_they_are(source: str, text: bytes, is_sentence: bool) -> None:
    tokens = [bytes([byte]) for byte in b"abxyz "]
    for tok in (ff.Tokenizer.from_tokens(tokens), BYTES):
        grammar = ff.compile_lark(source, tok)
        matcher = grammar.matcher()
        assert (matcher.accept_bytes(text) == len(text) and matcher.is_accepting()) == is_sentence
        assert any("a text may come to a place where no token may come" in one for one in grammar.warnings) == (
            tok is not BYTES
        )


def test_pieces_that_end_inside_a_character() -> None:
    tok = ff.Tokenizer.from_tokens([b"\xc3\xa9", "\u4e2d".encode(), b"a"])
    grammar = ff.compose(ff.sequence(b"\xc3", b"\xa9a\xe4", b"\xb8", b"\xad"), tok)
    assert text_of(grammar, 0) == "\u00e9a\u4e2d"


def test_many_lexemes_on_many_characters() -> None:
    characters = [chr(0x4E00 + number).encode() for number in range(8000)]
    tok = ff.Tokenizer.from_tokens([*characters, *(bytes([byte]) for byte in range(0x20, 0x7F))])
    patterns = {f"k{number}": {"type": "string", "pattern": f"^k{number}[^x]+$"} for number in range(300)}
    assert ff.compile_json_schema({"type": "object", "properties": patterns}, tok).warnings


def test_where_things_are_counted() -> None:
    tok = ff.Tokenizer.from_tokens([bytes([byte]) for byte in b'{}":,ab'])
    schema = {"type": "object", "properties": {"a": {"const": "b"}, "b": {"const": "a"}}, "additionalProperties": False}
    # (white space may be left out)
    grammar = ff.compile_json_schema(schema, tok, property_order="any")
    assert text_of(grammar, 1) in ('{"a":"b"}', '{"b":"a"}', '{"a":"b","b":"a"}', '{"b":"a","a":"b"}', "{}")
    counted = {"type": "object", "patternProperties": {"^.$": {"const": "a"}}, "additionalProperties": False}
    grammar = ff.compile_json_schema(counted | {"minProperties": 8}, tok, whitespace="compact")
    assert "there may be too few" in grammar.warnings[-1]


def test_masks_of_random_choices_against_brute_force() -> None:
    random = Random(1)
    refused = 0
    for _number in range(300):
        letters = "".join(random.sample("abcd\u00e9\u4e2d", random.randint(1, 5)))
        words = ["".join(random.choices(letters, k=random.randint(2, 3))) for _word in range(random.randint(0, 4))]
        tokens = list(dict.fromkeys([letter.encode() for letter in letters] + [word.encode() for word in words]))
        random.shuffle(tokens)
        tok = ff.Tokenizer.from_tokens(tokens)
        texts = ["".join(random.choices("abcd\u00e9\u4e2d", k=random.randint(1, 4))) for _text in range(5)]
        written = {text.encode() for text in texts if set(text) <= set(letters)}
        if not written:
            refused += 1
            with pytest.raises(GrammarError, match="it can write no text of the grammar"):
                ff.compile_choice(texts, tok)
            continue
        grammar = ff.compile_choice(texts, tok)
        assert bool(grammar.warnings) == (len(written) < len(set(texts)))
        begun = {b""}
        while begun:
            prefix = begun.pop()
            matcher = grammar.matcher()
            assert matcher.accept_bytes(prefix) == len(prefix)
            allowed = {tokens[number] for number in matcher.allowed_token_ids()}
            assert allowed == {token for token in tokens if any(text.startswith(prefix + token) for text in written)}
            begun |= {prefix + token for token in allowed}
    assert 20 < refused < 200


def test_bytes_of_random_expressions() -> None:
    random = Random(2)
    for _number in range(200):
        store = ExprStore()
        made = [store.literal(b"ab"), store.byte_set(b"bc"), store.literals([b"c", b"da", b"abc"])]
        for _step in range(8):
            one, other = random.choices(made, k=2)
            kind = random.randrange(5)
            if kind == 0:
                made.append(store.concat([one, other]))
            elif kind == 1:
                made.append(store.union([one, other]))
            elif kind == 2:
                made.append(store.intersect([one, store.repeat(other, 0, None)]))
            elif kind == 3:
                made.append(store.intersect([one, store.complement(other)]))
            else:
                made.append(store.repeat(one, 0, random.choice([2, None])))
        made.append(store.complement(made[-1]))
        alphabet = Alphabet(store, b"ab")
        texts = store.repeat(store.byte_set(b"ab"), 0, None)
        for e in made:
            meant = store.intersect([e, texts])
            found = alphabet.restrict(e)
            for one, other in ((meant, found), (found, meant)):
                assert store.is_nothing(store.intersect([one, store.complement(other)]))
            others = store.byte_set(bytes(set(range(256)) - alphabet.bytes_in(e)))
            anything = store.repeat(store.byte_set(bytes(range(256))), 0, None)
            assert store.is_nothing(store.intersect([e, store.concat([anything, others, anything])]))


def test_a_deep_expression_is_read_without_recursion() -> None:
    store = ExprStore()
    e = store.concat([store.byte_set(bytes([97 + at % 3, 98])) for at in range(20_000)])
    assert Alphabet(store, b"ab").bytes_in(e) == frozenset(b"abc")
    assert not store.is_nothing(Alphabet(store, b"ab").restrict(e))


def test_a_unigram_model_without_byte_fallback() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.Tokenizer(tokenizers.models.Unigram())
    model.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    model.decoder = tokenizers.decoders.Metaspace()
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=400, special_tokens=["<unk>", "</s>"], unk_token="<unk>", show_progress=False
    )
    texts = [text.replace("{", "").replace("}", "") for text in some_texts(100_000)]
    model.train_from_iterator([text for text in texts if text.isascii()], trainer)
    tok = ff.Tokenizer.from_huggingface(model)
    assert tok.characters is not None and b"{" not in tok.characters and b"a" in tok.characters
    with pytest.raises(GrammarError, match=r"no tokens for .*'{'"):
        ff.compile_json_schema({"type": "object"}, tok)
    grammar = ff.compile_json_schema({"type": "array", "items": {"type": "string", "maxLength": 4}}, tok)
    assert any("texts with them are left out" in warning for warning in grammar.warnings)
    for seed in range(10):
        assert "{" not in text_of(grammar, seed)


@pytest.mark.parametrize(
    ("name", "character"),
    [("falcon", "\U00080000"), ("starcoder", "\U00050000"), ("bert-bge", "A"), ("nomic-bert-moe", "\x7f")],
)
def test_real_vocabularies_that_lack_bytes(name: str, character: str) -> None:
    folder = tokenizers_dir()
    path = None if folder is None else folder / "llama-cpp-python" / f"ggml-vocab-{name}.gguf"
    if path is None or not path.exists():
        pytest.skip("no real tokenizers: run make tokenizers, or set FFGRAMMAR_TOKENIZERS")
    tok = ff.Tokenizer.from_file(path)
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    grammar = ff.compile_json_schema(schema, tok, whitespace="compact")
    # (nothing is said of bytes that no character has)
    assert bool(grammar.warnings) == (name not in ("falcon", "starcoder"))
    if name == "falcon":
        assert r"no tokens for '\x03'" in ff.compile_regex(r"a[^b]", tok).warnings[0]
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b'{"text":"a' + character.encode()) == len(b'{"text":"a')
    matcher.reset()
    random = Random(3)
    for _token in range(60):
        allowed = matcher.allowed_token_ids()
        assert len(allowed)
        assert matcher.accept_token(int(random.choice(allowed)))
        if matcher.is_terminated():
            break
