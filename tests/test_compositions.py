"""Compositions beside their definition: random parts, random vocabularies, masks at every place."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from pathlib import Path

import pytest

import ffgrammar as ff
from ffgrammar.grammar.edges import next_bytes
from ffgrammar.regex.expr.store import ExprStore
from oracle.compositions import SPECIAL, Composition, Symbols
from oracle.masks import ByteTree, brute_force_mask
from oracle.parts import Parts, vocabulary


def compare(rng: random.Random, steps: int) -> int:
    """Walk through one random composition, and compare each mask. Returns how many masks were compared."""
    tok = vocabulary(rng)
    parts = Parts(rng, tok)
    part = ff.sequence(parts.part(3))
    grammar = ff.compose(part, tok)
    oracle = Composition(part, parts.grammars)
    special = set(tok.special_tokens.values())
    texts: list[Symbols] = [()]
    matcher = grammar.matcher()
    for step in range(steps):
        text = texts[-1]
        allowed = set(matcher.allowed_token_ids().tolist())
        expected = set()
        for token in range(tok.vocab_size):
            if token in tok.eos_token_ids:
                if oracle.accepts(text):
                    expected.add(token)
                continue
            more = (token + SPECIAL,) if token in special else tuple(tok.token_bytes(token))
            if oracle.begins(text + more):
                expected.add(token)
        assert allowed == expected, (part, text, bytes(one for one in text if one < 256))
        assert matcher.is_accepting() == oracle.accepts(text)
        choices = sorted(allowed - set(tok.eos_token_ids))
        if rng.random() < 0.2 and len(texts) > 1:
            count = rng.randint(1, len(texts) - 1)
            matcher.rollback(count)
            del texts[len(texts) - count :]
        elif not choices:
            return step + 1
        else:
            token = rng.choice(choices)
            if rng.random() < 0.2:
                matcher = matcher.fork()
            assert matcher.accept_token(token)
            texts.append(text + ((token + SPECIAL,) if token in special else tuple(tok.token_bytes(token))))
    return steps


@pytest.mark.parametrize("seed", range(60))
def test_masks_are_those_of_the_definition(seed: int) -> None:
    compare(random.Random(seed), 8)


WORDS = 'start: W+\nW: /[a-z]+/\n%ignore " "'
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CALL = ('{"city": "Oslo"}', '{"city":"a"} ')


def accepts(grammar: ff.Grammar, *pieces: str | int) -> bool:
    """Whether bytes and special tokens, one after another, are a sentence."""
    matcher = grammar.matcher()
    for piece in pieces:
        if isinstance(piece, int):
            if not matcher.accept_token(piece):
                return False
        elif matcher.accept_bytes(piece.encode()) != len(piece.encode()):
            return False
    return matcher.is_accepting()


def test_a_tool_call_between_special_tokens(cl100k: ff.Tokenizer) -> None:
    begin, end = (cl100k.special_tokens[name] for name in ("<|fim_prefix|>", "<|fim_suffix|>"))
    weather = ff.compile_json_schema(WEATHER, cl100k)
    call = ff.sequence(ff.special_token("<|fim_prefix|>"), weather, ff.special_token(end))
    grammar = ff.compose(ff.sequence(ff.text(), ff.optional(ff.sequence(call, ff.text()))), cl100k)
    for text in CALL:
        assert accepts(grammar, "Let me see. ", begin, text, end, " Done.")
        assert accepts(grammar, "", begin, text, end)
        assert not accepts(grammar, "Let me see. ", begin, text)
        assert not accepts(grammar, begin, "{}", end)
        assert accepts(grammar, "Let me see. " + text)
    matcher = grammar.matcher()
    assert matcher.accept_token(begin)
    assert matcher.forced_bytes() == b""
    assert matcher.accept_bytes(b'{"city":"a"}') == 12
    assert end in matcher.allowed_token_ids()


def test_the_lexing_rule_of_each_part_is_its_own(cl100k: ff.Tokenizer) -> None:
    words = ff.compile_lark(WORDS, cl100k)
    assert accepts(ff.compose(ff.sequence(words, "end"), cl100k), "a b cend")
    assert not accepts(ff.compose(ff.sequence(words, "end"), cl100k), "a b cen")
    assert accepts(ff.compose(ff.sequence(ff.compile_regex("x+", cl100k), "x"), cl100k), "xx")
    number = ff.compile_json_schema({"type": "integer"}, cl100k, whitespace="compact")
    assert accepts(ff.compose(ff.sequence(number, "0", number), cl100k), "100")
    # %ignore holds for the part that has it
    assert not accepts(ff.compose(ff.sequence(words, "1", "2"), cl100k), "a 1 2")


def test_a_text_ends_with_the_first_of_its_ends(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compose(ff.sequence(ff.text(until=["</a>", "b"]), "c"), cl100k)
    assert accepts(grammar, "x</a>c")
    assert accepts(grammar, "é</ac bc")
    assert not accepts(grammar, "x</a>bc")
    assert not accepts(grammar, "xbbc")


@pytest.mark.parametrize("end", ["</to>", "\n#", ";a"])
def test_comments_before_the_text_that_ends_a_part(cl100k: ff.Tokenizer, end: str) -> None:
    # a comment may end with each of its bytes, if what follows it may be a part of it
    bytes_of_all = [cl100k.token_bytes(token) for token in range(cl100k.vocab_size)]
    pieces = [piece for piece in bytes_of_all if piece and not piece.strip(b" \n;#()ab<>/to")]
    tok = ff.Tokenizer.from_tokens(pieces)
    lisp = ff.compile_lark(
        'start: item*\nitem: NAME | "(" item* ")"\nNAME: /[a-z<>\\/]+/\n'
        "%ignore /[ \\n]+/\n%ignore /;[^\\n]*/\n%ignore /#[^#]*#/",
        tok,
    )
    matcher = ff.compose(ff.sequence("<to>", lisp, end, ff.text()), tok).matcher()
    tree = ByteTree(enumerate(pieces))
    for text in (b"<to>", b"\n", b"; a(", b"\n\n", b"(a ;", b"; b\n", b"# b", b"#)", b" </t", b"o", b">;\n", b"#"):
        assert matcher.accept_bytes(text) == len(text)
        assert set(matcher.allowed_token_ids().tolist()) == brute_force_mask(matcher, tree, [])


def test_equal_parts_are_one(cl100k: ff.Tokenizer) -> None:
    weather = ff.compile_json_schema(WEATHER, cl100k)
    once = ff.compose(ff.sequence("<a>", weather, "</a>"), cl100k)
    often = ff.compose(ff.sequence(*[ff.sequence("<a>", weather, "</a>") for _ in range(50)]), cl100k)
    assert often.stats()["lexemes"] == once.stats()["lexemes"]
    assert often.stats()["productions"] < once.stats()["productions"] + 20


def test_a_thousand_tools_are_one_grammar(cl100k: ff.Tokenizer) -> None:
    tools = [
        ff.compile_json_schema({"type": "object", "properties": {f"key{i}": {"type": "integer"}}}, cl100k)
        for i in range(1000)
    ]
    choice = ff.choice_of(*[ff.sequence(f"<tool{i}>", tool, "</tool>") for i, tool in enumerate(tools)])
    grammar = ff.compose(ff.sequence(ff.text(until="call "), choice), cl100k)
    assert accepts(grammar, 'Well, call <tool77>{"key77": 1}</tool>')
    assert not accepts(grammar, 'Well, call <tool77>{"key77": 1.5}</tool>')
    # the next byte always decides which part reads on
    assert grammar._ir.delimited


def test_wrong_parts(cl100k: ff.Tokenizer, o200k: ff.Tokenizer) -> None:
    for wrong in (
        lambda: ff.sequence("a", 1),  # type: ignore[arg-type]
        lambda: ff.text(until=1),  # type: ignore[arg-type]
        lambda: ff.repeat("a", "b"),  # type: ignore[arg-type]
        lambda: pickle.dumps(ff.sequence(ff.compile_regex("a", cl100k))),
    ):
        with pytest.raises(TypeError, match=r"part|until|least"):
            wrong()
    for nothing in (
        lambda: ff.choice_of(),
        lambda: ff.text(until=[]),
        lambda: ff.text(until=""),
        lambda: ff.text(until=b"\xc3"),
        lambda: ff.special_token(),
        lambda: ff.repeat("a", 3, 2),
        lambda: ff.repeat("a", -1),
        lambda: ff.sequence("\ud800"),
        lambda: ff.compose(ff.special_token("<|nobody|>"), cl100k),
        lambda: ff.compose(ff.special_token(5), cl100k),
        lambda: ff.compose(ff.sequence(ff.compile_regex("a", o200k)), cl100k),
    ):
        with pytest.raises(ff.GrammarError):
            nothing()
    with pytest.raises(ff.LimitError, match="rules"):
        ff.compose(ff.repeat("a", 10**9), cl100k)


def test_checks_on_the_text_need_a_place_of_their_own(cl100k: ff.Tokenizer) -> None:
    unique = ff.compile_json_schema({"type": "array", "uniqueItems": True}, cl100k)
    grammar = ff.compose(ff.sequence("<a>", unique, "</a>", ff.special_token("<|fim_prefix|>")), cl100k)
    begin = cl100k.special_tokens["<|fim_prefix|>"]
    assert accepts(grammar, "<a>[1, [2], [3]]</a>", begin)
    assert not accepts(grammar, "<a>[1, [2], [2]]</a>", begin)
    words = ff.compile_lark(WORDS, cl100k)
    for parts in ((ff.text(), unique), (words, ff.special_token("<|fim_prefix|>"), unique)):
        with pytest.raises(ff.UnsupportedError, match="uniqueItems"):
            ff.compose(ff.sequence(*parts), cl100k)


def test_strings_with_many_states_end_at_their_quotes(cl100k: ff.Tokenizer) -> None:
    """It would take too long to find out with which bytes all strings of the schema may go on."""
    schema = {"anyOf": [{"type": "array", "uniqueItems": True}, {"pattern": "^[a-z]{3000}$", "type": "string"}]}
    grammar = ff.compose(ff.sequence("<", ff.compile_json_schema(schema, cl100k), "}"), cl100k)
    assert accepts(grammar, "<[1, 2] }")
    assert not accepts(grammar, "<[1, 1] }")
    assert accepts(grammar, '<"' + "ab" * 1500 + '"}')
    followed = ff.compose(ff.sequence(ff.compile_json_schema({"type": "integer"}, cl100k), "1"), cl100k)
    assert accepts(followed, "11")
    assert not accepts(followed, "1")


PAIRS = [
    (lambda tok: ff.compile_json_schema(WEATHER, tok), lambda tok: ff.compile_regex(r'\{"city": "(.|\n)*', tok)),
    (lambda tok: ff.compile_lark(WORDS, tok), lambda tok: ff.compile_regex("[a-z ]*[0-9]", tok)),
    (lambda tok: ff.compile_lark(WORDS, tok), lambda tok: ff.compile_json_schema({"enum": ["a", True, 12]}, tok)),
    (
        lambda tok: ff.compose(ff.sequence(ff.text(), ff.compile_json_schema({"type": "integer"}, tok)), tok),
        lambda tok: ff.compile_choice(["{", "true story", "12 times"], tok),
    ),
]
TEXTS = ['{"city": "Oslo"} ', "so long 7", "true story", "12 times", '"a"']


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_the_mask_of_a_choice_is_the_union_of_masks(cl100k: ff.Tokenizer, tmp_path: Path, number: int) -> None:
    """On a real vocabulary, where partitions are kept and segments are large."""
    parts = [make(cl100k) for make in PAIRS[number]]
    grammar = ff.compose(ff.choice_of(*parts), cl100k)
    grammar.save(tmp_path / "g.ffg")
    for composed in (grammar, ff.load(tmp_path / "g.ffg", cl100k)):
        for text in TEXTS:
            matchers = [part.matcher() for part in parts]
            matcher = composed.matcher()
            for byte in text.encode():
                allowed = {token for one in matchers for token in one.allowed_token_ids().tolist()}
                assert set(matcher.allowed_token_ids().tolist()) == allowed, (text, matcher.text_bytes)
                matchers = [one for one in matchers if one.accept_bytes(bytes([byte])) == 1]
                assert matcher.accept_bytes(bytes([byte])) == (1 if matchers else 0)
                if not matchers:
                    break


def test_compiled_files_and_nesting(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    words = ff.compile_lark(WORDS, cl100k)
    inner = ff.compose(ff.sequence(words, "end"), cl100k)
    grammar = ff.compose(ff.repeat(ff.sequence(inner, ","), 1, 2), cl100k)
    grammar.save(tmp_path / "g.ffg")
    for one in (grammar, ff.load(tmp_path / "g.ffg", cl100k)):
        assert accepts(one, "a bend,")
        assert accepts(one, "a bend,c end,")
        assert not accepts(one, "a ben,")


def test_a_sequence_in_itself_is_not_spelled_out(cl100k: ff.Tokenizer) -> None:
    part: ff.Part | str = "ab"
    for _ in range(500):
        part = ff.sequence(part, part)
    matcher = ff.compose(part, cl100k).matcher()
    assert matcher.accept_bytes(b"ab" * 1000) == 2000
    assert matcher.accept_bytes(b"b") == 0
    assert repr(part) == "<ffgrammar.Part: Sequence>"
    assert copy.deepcopy(part) is part


def test_deep_sequences(cl100k: ff.Tokenizer) -> None:
    part: ff.Part | str = "a"
    for _ in range(20_000):
        part = ff.sequence("b", part)
    matcher = ff.compose(part, cl100k).matcher()
    assert matcher.accept_bytes(b"b" * 20_000 + b"ab") == 20_001
    assert matcher.is_accepting()


def test_deep_trees(cl100k: ff.Tokenizer) -> None:
    part = ff.sequence("a")
    for _ in range(20_000):
        part = ff.optional(ff.sequence(part, "b"))
    matcher = ff.compose(part, cl100k).matcher()
    assert matcher.accept_bytes(b"abb") == 3


def test_a_search_that_takes_too_long_answers_that_all_bytes_may_come() -> None:
    store = ExprStore()
    letters = store.byte_set(b"ab")
    for count, expected in ((3, int.from_bytes(bytes([0] * 12 + [6] + [0] * 19), "little")), (12, (1 << 256) - 1)):
        expr = store.concat([store.repeat(letters, 0, None), store.literal(b"a"), store.repeat(letters, count, count)])
        assert next_bytes(store, expr, expr) == expected


@pytest.mark.parametrize("part", ["a <|fim_prefix|>", ff.text(until="<|fim_prefix|>"), ff.optional(b"<|fim_prefix|>")])
def test_names_of_special_tokens_in_texts_give_a_warning(part: str | bytes | ff.Part, cl100k: ff.Tokenizer) -> None:
    with pytest.warns(UserWarning, match=r"special_token\('<\|fim_prefix\|>'\)") as caught:
        ff.compose(ff.sequence(part, "x"), cl100k)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ff.compose(ff.sequence(ff.special_token("<|fim_prefix|>"), "x"), cl100k)


@pytest.mark.parametrize(
    ("stop", "limit"),
    [("ab" * 100_000, "dfa_states"), ("a" * 2_000, "emptiness_steps"), ("ab" * 1_500, "emptiness_steps")],
)
def test_a_stop_that_is_too_long(stop: str, limit: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.LimitError, match=f"a stop of {len(stop)} bytes.*{limit}"):
        ff.compose(ff.sequence(ff.text(until=stop), "x"), cl100k)


def test_a_long_stop(cl100k: ff.Tokenizer) -> None:
    stop = "".join(f"{number} " for number in range(1_000))
    matcher = ff.compose(ff.sequence(ff.text(until=stop), "x"), cl100k).matcher()
    assert matcher.accept_bytes((stop[:-1] + stop).encode()) == 2 * len(stop) - 1
    assert matcher.forced_bytes() == b"x"
