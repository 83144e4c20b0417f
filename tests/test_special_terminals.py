"""Special tokens as terminals of rules: random grammars against the recogniser, and what Lark texts say of them."""

from __future__ import annotations

import hashlib
import json
import zlib
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.api.compiled_file import HEADER, MAGIC, VERSION
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.regex.expr.store import ExprStore
from oracle.cfg import Recogniser, State
from oracle.grammars import ALPHABET, TOKENS, Description, build, descriptions
from oracle.languages import allowed, some_language, some_text
from oracle.masks import ByteTree, recogniser_mask
from oracle.trained import make

NAMES = ("<|one|>", "<|two|>", "<|three|>", "<|end|>")
ONE, TWO, THREE, END = range(len(TOKENS), len(TOKENS) + 4)
TREE = ByteTree(enumerate(TOKENS))
CHOICES = st.lists(st.integers(0, 1 << 16), max_size=10)


@pytest.fixture(scope="module")
def tok() -> ff.Tokenizer:
    special = dict(zip(NAMES, range(ONE, END + 1), strict=True))
    return ff.Tokenizer.from_tokens([*TOKENS, *[b""] * 4], eos_token_id=END, special_tokens=special)


class Places:
    """A matcher and the recogniser at the same place."""

    def __init__(self, description: Description, tok: ff.Tokenizer, settings: Limits) -> None:
        ours, theirs = ExprStore(), ExprStore()
        self.recogniser = Recogniser(build(description, theirs, GrammarBuilder(theirs, settings)))
        self.state: State | None = self.recogniser.start
        self.grammar = ff.Grammar(build(description, ours, GrammarBuilder(ours, settings)), tok, settings)
        self.matcher = self.grammar.matcher()

    def completable(self, state: State | None) -> bool | None:
        if state is None:
            return False
        return self.recogniser.completable(state, alphabet=[*ALPHABET, 0x7A], max_states=100)

    def check(self) -> set[int]:
        """Compare mask and verdict."""
        if self.state is None:
            assert self.matcher.is_terminated()
            return set()
        mask = allowed(self.matcher)
        reached = recogniser_mask(self.recogniser, self.state, TREE, [END])
        assert mask <= set(reached)
        for token in set(reached) - mask:
            assert self.completable(reached[token]) is not True, token
        for token in sorted(mask):
            if token >= ONE:
                assert self.completable(reached[token]) is not False, token
        assert self.matcher.is_accepting() == self.recogniser.is_sentence(self.state)
        for token in (ONE, TWO, THREE, END):
            assert self.matcher.fork().accept_token(token) == (token in mask)
        return mask

    def go(self, token: int) -> bool:
        """Take a token that the mask allows. Returns False if it cannot be told which way an end-of-text token goes."""
        assert self.state is not None
        after = self.recogniser.run(TOKENS[token], self.state) if token < ONE else self.after_special(token)
        assert self.matcher.accept_token(token)
        if token == END and after is not None:
            verdict = self.completable(after)
            if verdict is None:
                return False
            if verdict is False:
                after = None
        self.state = after
        return True

    def after_special(self, token: int) -> State | None:
        assert self.state is not None
        return self.recogniser.step_token(self.state, token)


def chosen(mask: set[int], choice: int) -> int | None:
    """One of the tokens: a special one as often as not."""
    special = sorted(token for token in mask if token >= ONE)
    short = sorted(mask, key=lambda token: (len(TOKENS[token]) if token < ONE else 0, token))
    usable = special if special and choice & 1 else short
    return usable[choice // 2 % len(usable)] if usable else None


def made(description: Description, tok: ff.Tokenizer, **bounds: int) -> Places | None:
    try:
        return Places(description, tok, Limits(emptiness_steps=3000, **bounds))
    except ff.LimitError:
        return None
    except ff.GrammarError:
        store = ExprStore()
        recogniser = Recogniser(build(description, store, GrammarBuilder(store, Limits())))
        assert recogniser.completable(recogniser.start, alphabet=[*ALPHABET, 0x7A], max_states=100) is not True
        return None


@given(descriptions(special=True), CHOICES)
def test_masks_along_random_tokens(tok: ff.Tokenizer, description: Description, choices: list[int]) -> None:
    places = made(description, tok)
    if places is None:
        return
    try:
        for choice in choices:
            token = chosen(places.check(), choice)
            if token is None or not places.go(token):
                return
        places.check()
    except ff.LimitError as error:
        assert error.limit == "emptiness_steps"


@given(descriptions(special=True), CHOICES)
def test_caches_forks_files_and_rollbacks_change_nothing(
    tok: ff.Tokenizer, description: Description, choices: list[int]
) -> None:
    places = made(description, tok)
    small = made(description, tok, cache_bytes=4096, mask_bytes=0)
    if places is None or small is None:
        return
    matcher, others = places.matcher, [small.matcher, ff.load(places.grammar._dump(), tok).matcher()]
    masks: list[set[int]] = []
    try:
        for choice in choices:
            masks.append(allowed(matcher))
            assert all(allowed(other) == masks[-1] for other in others)
            token = chosen(masks[-1], choice)
            if token is None:
                break
            drafts = ff.allocate_bitmask(2, tok.vocab_size)
            assert matcher.fill_draft_bitmasks([token], drafts) == 1
            for one in (matcher, *others):
                assert one.accept_token(token)
            others[0] = others[0].fork()
        ids = matcher.tokens()
        for one in (matcher, *others):
            assert one.tokens() == ids
            assert one.is_terminated() == matcher.is_terminated()
            for count in range(len(ids) - 1, -1, -1):
                one.rollback(1)
                assert allowed(one) == masks[count]
            assert one.accept_tokens(ids) == len(ids)
    except ff.LimitError:
        # the searches give up, or the caches are too small for one text
        return


def test_texts_are_read_again(cl100k: ff.Tokenizer) -> None:
    """After the caches were dropped, special tokens are read again as tokens."""
    random = Random(8)
    source = "start: (NAME <|fim_prefix|> NUMBER <|fim_middle|>)+\nNAME: /[a-z]{1,40}/\nNUMBER: /[0-9]{1,40}/"
    limited = ff.compile_lark(source, cl100k, limits=Limits(cache_bytes=1 << 15, mask_bytes=0))
    matcher, other = limited.matcher(), ff.compile_lark(source, cl100k).matcher()
    for _ in range(120):
        mask = sorted(allowed(other))
        assert allowed(matcher) == set(mask)
        special = [token for token in mask if cl100k.is_special(token) and token != 100257]
        token = random.choice(special if special and random.random() < 0.6 else mask)
        if token == 100257:
            continue
        for one in (matcher, other):
            assert one.accept_token(token)
        if random.random() < 0.2:
            back = random.randrange(min(6, matcher.num_steps))
            for one in (matcher, other):
                one.rollback(back)
    assert limited.stats()["cache_drops"] > 10
    assert matcher.tokens() == other.tokens()


# Forced tokens

SPECIAL = {"<|fim_prefix|>", "<|fim_middle|>"}


def written(sentence: list[str]) -> str:
    return " ".join(part if part in SPECIAL else json.dumps(part, ensure_ascii=False) for part in sentence)


def some_sentences(random: Random) -> list[list[str]]:
    """Sentences of texts and special tokens, with much in common."""
    stem = [some_text(random, 4), random.choice(sorted(SPECIAL))] * random.randrange(2)
    sentences = []
    for text in some_language(random):
        tail = random.choice([[], ["<|fim_prefix|>"], ["<|fim_middle|>", some_text(random, 3)]])
        sentences.append([*stem, text, *tail])
    return sentences


def forced_of(sequences: list[tuple[int, ...]], special: set[int]) -> list[int]:
    """The tokens that come in all of the sequences, up to the first special one; or this one, if it is the first."""
    common = [ids[0] for ids in zip(*sequences, strict=False)]
    for place, column in enumerate(zip(*sequences, strict=False)):
        if len(set(column)) > 1 or (place and column[0] in special):
            return common[:place]
        if column[0] in special:
            return common[:1]
    return common


@pytest.mark.parametrize("with_rules", [True, False])
def test_forced_tokens(cl100k: ff.Tokenizer, with_rules: bool) -> None:
    random = Random(5)
    (eos,) = cl100k.eos_token_ids
    special = set(cl100k.special_tokens.values())
    tok = cl100k
    if not with_rules:
        tokens = [cl100k.token_bytes(token) for token in range(cl100k.vocab_size)]
        tok = ff.Tokenizer.from_tokens(
            tokens, eos_token_id=eos, special_tokens=cl100k.special_tokens, encode=cl100k.encode
        )
        assert tok.canon is None
    forced = missed = 0
    for _ in range(150):
        sentences = some_sentences(random)
        grammar = ff.compile_lark("start: " + "\n  | ".join(map(written, sentences)), tok)
        sequences = {(*cl100k.encode("".join(one), special="allow"), eos) for one in sentences}
        for ids in random.sample(sorted(sequences), min(3, len(sequences))):
            for count in range(len(ids)):
                matcher = grammar.matcher()
                assert matcher.accept_tokens(ids[:count]) == count
                left = [other[count:] for other in sequences if other[:count] == ids[:count]]
                found, expected = matcher.forced_tokens(), forced_of(left, special)
                assert found == expected[: len(found)]
                forced += len(found)
                # (a special token is not forced if another token may come that is not the tokenizer's own)
                if not (set(expected) & special and len(allowed(matcher)) > 1):
                    missed += len(expected) - len(found)
    assert forced > 500
    assert missed == 0 or not with_rules
    assert missed < forced // 10


def test_an_end_of_text_token_is_forced_where_nothing_else_may_come(cl100k: ff.Tokenizer) -> None:
    matcher = ff.compile_choice(["yes", "yes!"], cl100k).matcher()
    assert matcher.accept_bytes(b"yes") == 3
    assert matcher.forced_tokens() == []
    assert matcher.accept_bytes(b"!") == 1
    assert matcher.forced_tokens() == [100257]
    assert matcher.accept_token(100257)
    assert matcher.forced_tokens() == []


# Lark texts


def test_end_of_text_tokens_inside_a_text(cl100k: ff.Tokenizer) -> None:
    """Where the grammar waits for an end-of-text token, it does not end the text, even if the text is a sentence."""
    matcher = ff.compile_lark('start: "a" (<|endoftext|> "b")?', cl100k).matcher()
    assert matcher.accept_bytes(b"a") == 1
    assert matcher.is_accepting()
    assert matcher.accept_token(100257)
    assert not matcher.is_terminated()
    assert not matcher.is_accepting()
    assert matcher.forced_bytes() == b"b"
    assert matcher.accept_bytes(b"b") == 1
    assert matcher.forced_tokens() == [100257]
    assert matcher.accept_token(100257)
    assert matcher.is_terminated()
    assert matcher.tokens() == [None, 100257, None, 100257]
    assert matcher.text_bytes == b"ab"


@pytest.mark.parametrize(
    ("rule", "ids"),
    [
        ("<|fim_prefix|>", [100258]),
        ("<[100259]>", [100259]),
        ("<[ 100258 - 100260, 100276 ]>", [100258, 100259, 100260, 100276]),
        ("<[^100258-100260]>", [100257, 100276]),
        ("<[^0-50000,100257]>", [100258, 100259, 100260, 100276]),
        ("<[*]>", [100257, 100258, 100259, 100260, 100276]),
        ('<|fim_prefix|> "b" | <[100259]>', [100258, 100259]),
    ],
)
def test_notation(cl100k: ff.Tokenizer, rule: str, ids: list[int]) -> None:
    matcher = ff.compile_lark(f'start: ({rule}) "x"', cl100k).matcher()
    assert matcher.allowed_token_ids().tolist() == ids
    assert matcher.accept_bytes(rule.encode()) == 0
    assert matcher.distance() == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start: <|no|>", "line 1, column 8: the tokenizer has no special token <|no|>"),
        ('start: "a" <', "line 1, column 12: this special token has no closing > on its line"),
        ("start: <[5-3]>", "line 1, column 8: the range 5-3 is empty"),
        ("start: <[1,x]>", "line 1, column 8: <[1,x]> is no set of token ids"),
        ("start: <[^100257-100276]>", "line 1, column 8: <[^100257-100276]> stands for no special token"),
        ("start: <[7]>", "line 1, column 8: token 7 is not a special token"),
        ("start: <[100257-100261]>", "line 1, column 8: token 100261 is not a special token"),
        ("start: <[0-9999999999]>", "line 1, column 8: token 0 is not a special token"),
        ("start: A\nA: <|endoftext|>", "line 2, column 4: only rules can have special tokens"),
        ('start: "a"\n%ignore <|endoftext|>', "line 2, column 9: only rules can have special tokens"),
    ],
)
def test_mistakes(cl100k: ff.Tokenizer, text: str, message: str) -> None:
    with pytest.raises(ff.GrammarError) as caught:
        ff.compile_lark(text, cl100k)
    assert str(caught.value).startswith(message)


def test_names_are_never_spelled(cl100k: ff.Tokenizer) -> None:
    matcher = ff.compile_lark('start: <|fim_prefix|> | "<|x"', cl100k).matcher()
    assert matcher.accept_bytes(b"<|fim") == 2
    matcher = ff.compile_lark('start: "<|fim_prefix|>"', cl100k).matcher()
    assert not matcher.accept_token(100258)


def test_lexemes_that_swallow_what_follows(cl100k: ff.Tokenizer) -> None:
    """A special token ends a lexeme that could otherwise go on, so here the text can be completed."""
    matcher = ff.compile_lark('start: A <|fim_prefix|> "x" | "y"\nA: /x+/', cl100k).matcher()
    assert matcher.accept_bytes(b"xx") == 2
    assert 100258 in allowed(matcher)
    assert 100257 not in allowed(matcher)
    with pytest.raises(ff.GrammarError, match="longest match"):
        ff.compile_lark('start: <|fim_prefix|> A "x"\nA: /x+/', cl100k)


@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize("with_prompt", [False, True])
def test_guided_matchers(cl100k: ff.Tokenizer, canonical: bool, with_prompt: bool) -> None:
    """Canonical tokens, and pending bytes of a prompt: masks, forced tokens and verdicts are those of all sentences."""
    random = Random(3)
    special = set(cl100k.special_tokens.values())
    (eos,) = cl100k.eos_token_ids
    places = 0
    for _ in range(60 if canonical else 150):
        sentences = some_sentences(random)
        sentences += [["<|fim_prefix|>", some_text(random, 3)]] * random.randrange(2)
        grammar = ff.compile_lark("start: " + "\n  | ".join(map(written, sentences)), cl100k)
        prompt = some_text(random, 4) if with_prompt else None
        sequences = {(*cl100k.encode("".join([prompt or "", *one]), special="allow"), eos) for one in sentences}
        matcher = grammar.matcher(prompt=prompt, canonical=canonical)
        for ids in sorted(sequences):
            matcher.reset()
            first = len(matcher.prompt_tokens)
            assert ids[:first] == matcher.prompt_tokens
            for count in range(first, len(ids)):
                if canonical or matcher.prompt_rest:
                    places += 1
                    left = [other[count:] for other in sequences if other[:count] == ids[:count]]
                    expected = {other[0] for other in left}
                    assert allowed(matcher) == expected
                    assert matcher.forced_tokens() == forced_of(left, special)
                    assert matcher.is_accepting() == (eos in expected)
                    for token in {*random.sample(range(cl100k.vocab_size), 5), *special}:
                        assert matcher.fork().accept_token(token) == (token in expected)
                assert matcher.accept_token(ids[count])
    assert places > 50 or not (canonical or with_prompt)


@pytest.mark.parametrize("options", [{"canonical": True}, {"prompt": "a"}])
def test_guided_matchers_on_a_tokenizer_that_normalizes(options: dict[str, Any]) -> None:
    pytest.importorskip("tokenizers")
    _, tok = make("qwen")
    grammar = ff.compile_lark('start: "a" | "a" <[*]>', tok)
    with pytest.raises(ff.UnsupportedError, match="special tokens"):
        grammar.matcher(**options)
    assert grammar.matcher().accept_bytes(b"a") == 1


@pytest.mark.parametrize("tokens", [[7], [100276, 100257], [100257, 100257], [1 << 40], ["a"], None, [True]])
def test_malformed_files(cl100k: ff.Tokenizer, tokens: Any) -> None:
    grammar = ff.compile_lark("start: <[*]>", cl100k)
    data = grammar._dump()
    assert allowed(ff.load(data, cl100k).matcher()) == set(cl100k.special_tokens.values())
    body = json.loads(zlib.decompress(data[HEADER.size :]))
    body["lexemes"][0][-1] = tokens
    packed = data[HEADER.size - 32 : HEADER.size] + zlib.compress(json.dumps(body).encode())
    header = HEADER.pack(MAGIC, VERSION, hashlib.sha256(packed).digest(), packed[:32])
    with pytest.raises(ff.CompiledFileError):
        ff.load(header + packed[32:], cl100k)
