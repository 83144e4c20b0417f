"""`Tokenizer`: its makers, what it says of ids, text and ids, and what it refuses."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary import embedded, pack
from ffgrammar.tokens.vocabulary.embedded import ENCODINGS
from oracle.tokens import read_ranks


def by_letter(data: bytes) -> list[int]:
    return list(data)


def test_cl100k(cl100k) -> None:
    assert (cl100k.vocab_size, cl100k.eos_token_ids, cl100k.name) == (100277, (100257,), "cl100k_base")
    assert cl100k.special_tokens == ENCODINGS["cl100k_base"].special_tokens
    assert cl100k.encode("hello world") == cl100k.encode(b"hello world") == [15339, 1917]
    assert cl100k.decode([15339, 100257, 1917]) == b"hello<|endoftext|> world"
    assert cl100k.token_bytes(15339) == b"hello"
    # 100256 and 100261 .. 100275 are holes, 100257 is special
    for token in (100256, 100257, 100261):
        assert cl100k.token_bytes(token) == b"" and cl100k.trie.token_bytes(token) == b""
    assert cl100k.is_special(100257) and not cl100k.is_special(100256) and not cl100k.is_special(0)
    assert cl100k.decode([100256]) == b""
    assert cl100k.encode("") == [] and cl100k.decode([]) == b""


def test_o200k(o200k) -> None:
    assert (o200k.vocab_size, o200k.eos_token_ids) == (200019, (199999,))
    assert o200k.decode(o200k.encode("caf\u00e9 \U0001f642")) == "caf\u00e9 \U0001f642".encode()


def test_a_larger_model_vocabulary() -> None:
    tok = Tokenizer.from_tiktoken("cl100k_base", eos_token_ids=[100257, 100265, 100350], vocab_size=100352)
    assert tok.vocab_size == 100352 and tok.trie.n_words == 3136
    assert tok.eos_token_ids == (100257, 100265, 100350)
    assert tok.special_tokens["<|eos_100265|>"] == 100265 and tok.is_special(100350)
    assert tok.token_bytes(100351) == b""
    assert ENCODINGS["cl100k_base"].special_tokens.keys().isdisjoint({"<|eos_100265|>"})


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"encoding": "p50k_base"}, "not embedded .cl100k_base, o200k_base"),
        ({"encoding": 7}, "not int"),
        ({"encoding": "cl100k_base", "vocab_size": 100}, "vocab_size is 100"),
        ({"encoding": "cl100k_base", "vocab_size": "x"}, "must be an int, not str"),
        ({"encoding": "cl100k_base", "eos_token_ids": 100277}, "100277 is out of range"),
        ({"encoding": "cl100k_base", "eos_token_ids": -1}, "-1 is negative"),
        ({"encoding": "cl100k_base", "eos_token_ids": ["</s>"]}, "expected an int, not str"),
        ({"encoding": "cl100k_base", "eos_token_ids": 15339}, "15339 is an ordinary token of cl100k_base: b'hello'"),
    ],
)
def test_bad_tiktoken_arguments(arguments: dict, text: str) -> None:
    with pytest.raises(TokenizerError, match=text):
        Tokenizer.from_tiktoken(**arguments)


def test_ids_of_a_tiktoken_object_are_the_models() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([value]): value for value in range(256)}
    encoding = tiktoken.Encoding("plain", pat_str=".", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 256})
    with pytest.raises(TokenizerError, match="2 is an ordinary token of plain"):
        Tokenizer.from_tiktoken(encoding, eos_token_ids=2)
    assert Tokenizer.from_tiktoken(encoding, eos_token_ids=[256, 300], vocab_size=301).eos_token_ids == (256, 300)
    # mistral-common puts 1,000 special tokens before the ids of such an object
    encoding = tiktoken.Encoding("tekken", pat_str=".", mergeable_ranks=ranks, special_tokens={})
    with pytest.raises(TokenizerError, match="tekken: the ids of this encoding are not the model's"):
        Tokenizer.from_tiktoken(encoding, eos_token_ids=())


def test_a_tiktoken_object_equals_the_embedded(cl100k) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    facts = ENCODINGS["cl100k_base"]
    ranks = read_ranks(pack.unpack(Path(embedded.DATA, "cl100k_base.bin").read_bytes()))
    encoding = tiktoken.Encoding(
        "mine", pat_str=facts.pattern, mergeable_ranks=ranks, special_tokens=facts.special_tokens
    )
    tok = Tokenizer.from_tiktoken(encoding)
    assert tok.fingerprint == cl100k.fingerprint and tok.name == "mine"
    for text in ("hello <|endoftext|> world", b"caf\xc3\xa9 \xff\xfe", b"\xe4\xb8", "\ud800"):
        assert tok.encode(text) == cl100k.encode(text)
    assert tok.pretoken_ends(b"Hello  world's 1234") == cl100k.pretoken_ends(b"Hello  world's 1234")
    assert tok.piece_ends(b"Hello  world") == tok.pretoken_ends(b"Hello  world")  # its earlier name
    without = tiktoken.Encoding("none", pat_str=".", mergeable_ranks={b"a": 0, b"b": 3}, special_tokens={"<x>": 5})
    with pytest.raises(TokenizerError, match="give eos_token_ids="):
        Tokenizer.from_tiktoken(without)
    tok = Tokenizer.from_tiktoken(without, eos_token_ids=5)
    assert [tok.token_bytes(token) for token in range(6)] == [b"a", b"", b"", b"b", b"", b""]
    assert tok.special_tokens == {"<x>": 5}


def test_a_panic_of_tiktoken_is_an_error(o200k) -> None:
    tiktoken = pytest.importorskip("tiktoken")

    class Panic(BaseException):
        pass

    Panic.__name__ = "PanicException"

    class Fragile(tiktoken.Encoding):
        def encode_ordinary(self, text: str) -> list[int]:
            raise Panic("stack")

    encoding = Fragile("f", pat_str=".", mergeable_ranks={b"a": 0}, special_tokens={"<|endoftext|>": 1})
    with pytest.raises(TokenizerError, match="could not encode the text: stack"):
        Tokenizer.from_tiktoken(encoding).encode("a")


def test_from_tokens() -> None:
    tokens = [b"a", b"", b"\xff\xfe", b"a", None, b"</s>", b"<pad>", b"z" * 1300]
    tok = Tokenizer.from_tokens(tokens, eos_token_id=[5, 4, 5], special_tokens={"<pad>": 6}, vocab_size=40)
    assert tok.vocab_size == 40 and tok.eos_token_ids == (5, 4)
    assert tok.special_tokens == {"<pad>": 6, "</s>": 5, "<|eos_4|>": 4}
    assert tok.trie.aliases == [(0, 3)] and tok.trie.long_ids == [7] and tok.trie.token_count == 4
    assert [tok.token_bytes(i) for i in (0, 1, 2, 5, 6, 39)] == [b"a", b"", b"\xff\xfe", b"", b"", b""]
    assert tok.decode([0, 2, 5, 6, 4, 39]) == b"a\xff\xfe</s><pad><|eos_4|>"
    assert not tok.can_encode
    with pytest.raises(TokenizerError, match="cannot encode: from_tokens does not say"):
        tok.encode("a")


def test_no_eos_and_no_tokens() -> None:
    assert Tokenizer.from_tokens([b"a"]).eos_token_ids == ()
    assert Tokenizer.from_tokens([]).vocab_size == 0
    assert Tokenizer.from_tokens([], special_tokens={"<s>": 3}).vocab_size == 4


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"tokens": ["a"]}, "token 0 is str, not bytes"),
        ({"tokens": [b"a", bytearray(b"b")]}, "token 1 is bytearray"),
        ({"tokens": [b"a"], "eos_token_id": 1}, "eos_token_ids: 1 is out of range"),
        ({"tokens": [b"a"], "eos_token_id": -1}, "negative"),
        ({"tokens": [b"a"], "eos_token_id": True}, "expected an int, not bool"),
        ({"tokens": [b"a"], "eos_token_id": 0.5}, "expected an int, not float"),
        ({"tokens": [b"a"], "special_tokens": {"<x>": -4}}, "id -4 is negative"),
        ({"tokens": [b"a"], "special_tokens": {"<x>": "1"}}, "expected an int, not str"),
        ({"tokens": [b"a"], "special_tokens": {"": 0}}, "must be a string that is not empty"),
        ({"tokens": [b"a"], "special_tokens": {"<x>": 2, "<y>": 2}}, "'<x>' and '<y>' have the same id 2"),
        ({"tokens": [b"a"], "special_tokens": {"<x>": 5}, "vocab_size": 5}, "vocab_size is 5, but .* up to 5"),
        ({"tokens": [b"a"], "special_tokens": {"<x>": 1 << 24}}, "must be between"),
        ({"tokens": [b"a", b"b"], "vocab_size": 1}, "vocab_size is 1"),
        ({"tokens": [b"a"], "encode": 3}, "must be callable"),
    ],
)
def test_bad_tokens(arguments: dict, text: str) -> None:
    with pytest.raises(TokenizerError, match=text):
        Tokenizer.from_tokens(**arguments)


def test_the_encode_function() -> None:
    letters = [bytes([value]) for value in range(256)]
    tok = Tokenizer.from_tokens(letters, encode=by_letter)
    assert tok.encode("\u00e9") == tok.encode(b"\xc3\xa9") == [0xC3, 0xA9] and tok.can_encode
    for function, text in [
        (lambda data: [256], "gave id 256; vocab_size is 256"),
        (lambda data: [-1], "gave id -1"),
        (lambda data: 1 // 0, "failed: ZeroDivisionError"),
        (lambda data: ["x"], "failed: ValueError"),
        (lambda data: None, "failed: TypeError"),
    ]:
        with pytest.raises(TokenizerError, match=text):
            Tokenizer.from_tokens(letters, encode=function).encode("a")


@pytest.mark.parametrize("token", [-1, 100277, 1 << 90])
def test_ids_out_of_range(cl100k, token: int) -> None:
    for reader in (cl100k.token_bytes, cl100k.is_special, lambda i: cl100k.decode([0, i])):
        with pytest.raises(TokenizerError, match="out of range"):
            reader(token)


def test_wrong_types(cl100k) -> None:
    with pytest.raises(TokenizerError, match="expected str or bytes, not int"):
        cl100k.encode(3)
    with pytest.raises(TokenizerError, match="expected an int, not str"):
        cl100k.decode(["a"])


def test_it_cannot_be_changed(cl100k) -> None:
    for name in ("vocab_size", "eos_token_ids", "name", "trie", "other"):
        with pytest.raises(AttributeError):
            setattr(cl100k, name, 1)
    cl100k.special_tokens["<x>"] = 1
    assert "<x>" not in cl100k.special_tokens
    with pytest.raises(AttributeError):
        cl100k.trie.vocab_size = 3


def test_the_fingerprint_tells_vocabularies_apart(cl100k, o200k) -> None:
    base = {"tokens": [b"ab", b"c", b"x"], "eos_token_id": 2}
    variants = [
        base,
        base | {"tokens": [b"a", b"bc", b"x"]},
        base | {"tokens": [b"c", b"ab", b"x"]},
        base | {"eos_token_id": [1, 2]},
        base | {"eos_token_id": 1},
        base | {"vocab_size": 4},
        base | {"special_tokens": {"<x>": 2}},
        base | {"special_tokens": {"<x>": 1}},
    ]
    prints = {Tokenizer.from_tokens(**arguments).fingerprint for arguments in variants}
    assert len(prints | {cl100k.fingerprint, o200k.fingerprint}) == len(variants) + 2
    assert all(len(text) == 64 for text in prints)
    same = Tokenizer.from_tokens(**base, encode=by_letter, name="other")
    assert same.fingerprint == Tokenizer.from_tokens(**base).fingerprint
    eos = {"tokens": [b"a", b"b"], "special_tokens": {"<x>": 0, "<y>": 1}}
    assert (
        Tokenizer.from_tokens(**eos, eos_token_id=[0, 1]).fingerprint
        == Tokenizer.from_tokens(**eos, eos_token_id=[1, 0]).fingerprint
    )


def test_threads_share_one_tokenizer() -> None:
    tok = Tokenizer.from_tiktoken("cl100k_base")
    text = "some words, and \u4e2d\u6587 in it: 12345\n" * 500
    expected = Tokenizer.from_tiktoken("cl100k_base").encode(text)
    wrong = []

    def work() -> None:
        for _ in range(5):
            if tok.encode(text) != expected or tok.decode(expected) != text.encode() or len(tok.fingerprint) != 64:
                wrong.append(threading.get_ident())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_reason_for_no_rules_is_given(cl100k: Tokenizer) -> None:
    assert cl100k.canon_reason is None
    tok = Tokenizer.from_tokens([b"a", b"b"])
    assert tok.canon is None and tok.canon_reason == "from_tokens does not say how its tokens are made"
    with pytest.raises(TokenizerError, match="not known: from_tokens does not say how"):
        tok.coverings("a")
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([value]): value for value in range(256)}
    odd = tiktoken.Encoding("odd", pat_str=r"(?<=a)b|.", mergeable_ranks=ranks, special_tokens={"<e>": 256})
    reason = Tokenizer.from_tiktoken(odd, eos_token_ids=256).canon_reason
    assert reason is not None and "(?<=a)b" in reason


def test_a_tokenizer_is_made_by_its_makers() -> None:
    with pytest.raises(TypeError, match="from_tiktoken"):
        Tokenizer("cl100k_base")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="new_bytes"):
        Tokenizer.from_tiktoken("cl100k_base").tokenize_partial("abc")  # type: ignore[arg-type]
