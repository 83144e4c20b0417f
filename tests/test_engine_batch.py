"""One call for many matchers, on one thread or several, writes the masks that single calls write. So does a call that
writes the masks along drafts."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff

THREADS = [1, 2, 5]
SCHEMA = {
    "type": "object",
    "properties": {
        "orderId": {"type": "string", "maxLength": 12},
        "orderName": {"type": "string", "pattern": "^[A-Z][a-z]+$"},
        "lines": {"type": "array", "uniqueItems": True, "items": {"enum": ["a", "ab", "b", 12, 123]}},
    },
    "required": ["orderId"],
    "additionalProperties": False,
}
TEXT = b'{"orderId": "abc", "orderName": "Abc", "lines": ["a", 12, "b"]}'
# after "aQ9" the tokens that begin with x need a row that is larger than the limit
TOO_LARGE = "\n".join(
    [
        'start: "aQ9" ("q" | "x" s)',
        "s: " + " | ".join(f'r{i} "y"' for i in range(400)),
        *(f'r{i}: "z{i}" r{i} | "w"' for i in range(400)),
    ]
)


def _alone(matcher: ff.Matcher, words: int) -> list[int]:
    row = np.full((1, words), 7, dtype=np.int32)
    matcher.fill_bitmask(row)
    return row[0].tolist()  # type: ignore[no-any-return]


def _along(grammar: ff.Grammar, tokens: list[int]) -> list[ff.Matcher]:
    """A matcher at each place of a text."""
    matchers = [grammar.matcher()]
    for token in tokens:
        matchers.append(matchers[-1].fork())
        assert matchers[-1].accept_token(token)
    return matchers


@pytest.fixture(scope="module")
def cl100k() -> ff.Tokenizer:
    """It keeps no grammar, so what is compiled again has learned nothing yet."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    return tok


@pytest.fixture(scope="module")
def crowd(cl100k: ff.Tokenizer, repo_root: Any) -> list[ff.Matcher]:
    """Matchers of several grammars at all places of texts."""
    found = []
    sources: list[tuple[ff.Grammar, str]] = [
        (ff.compile_json_schema(SCHEMA, cl100k), TEXT.decode()),
        (ff.compile_json_schema(True, cl100k), '{"a": [1, 2.5e3, null, "é"], "b": {}}'),
        (ff.compile_lark((repo_root / "grammars" / "arithmetic.lark").read_text(), cl100k), "(1+22)*3-x"),
        (ff.compile_regex("[a-z]{3,20}( [a-z]{3,20}){2,5}", cl100k), "once upon midnight"),
        (ff.compile_choice(["one", "two", "twelve"], cl100k), "tw"),
    ]
    for grammar, text in sources:
        tokens = cl100k.encode(text)
        matcher = grammar.matcher()
        found += _along(grammar, tokens[: matcher.validate_tokens(tokens)])
    ended = sources[0][0].matcher()
    assert ended.accept_bytes(TEXT) == len(TEXT)
    assert ended.accept_token(cl100k.eos_token_ids[0])
    found.append(ended)
    assert len(found) > 60
    return found


@pytest.mark.parametrize("threads", THREADS)
def test_a_batch_is_what_each_matcher_says(
    crowd: list[ff.Matcher], cl100k: ff.Tokenizer, o200k: ff.Tokenizer, threads: int
) -> None:
    chance = random.Random(threads)
    wide = ff.compile_json_schema(SCHEMA, o200k).matcher()
    fresh = [ff.compile_json_schema({"enum": ["x" * n, n]}, cl100k).matcher() for n in range(20)]
    # the same matchers more than once, known masks and others, vocabularies of different size
    matchers = [*crowd, *fresh, wide, *chance.sample(crowd, 20), *fresh[:5]]
    chance.shuffle(matchers)
    words = (o200k.vocab_size + 31) // 32 + 3
    bitmask = np.full((len(matchers) + 10, words), 99, dtype=np.int32)
    rows = chance.sample(range(len(bitmask)), len(matchers))
    ff.fill_bitmask(matchers, bitmask, rows, threads=threads)
    for matcher, row in zip(matchers, rows, strict=True):
        assert bitmask[row].tolist() == _alone(matcher, words)
    for row in set(range(len(bitmask))) - set(rows):
        assert (bitmask[row] == 99).all()


def test_rows_follow_each_other_if_there_are_no_indices(crowd: list[ff.Matcher], cl100k: ff.Tokenizer) -> None:
    bitmask = ff.allocate_bitmask(len(crowd), cl100k.vocab_size)
    ff.fill_bitmask(iter(crowd), bitmask)
    assert all(row.tolist() == _alone(matcher, len(row)) for matcher, row in zip(crowd, bitmask, strict=True))


def test_an_empty_batch(cl100k: ff.Tokenizer) -> None:
    ff.fill_bitmask([], ff.allocate_bitmask(0, cl100k.vocab_size))
    assert ff.fill_draft_bitmasks([], [], ff.allocate_bitmask(1, cl100k.vocab_size)) == []


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("grammars", [1, 2])
def test_all_on_few_grammars_that_nobody_has_asked(cl100k: ff.Tokenizer, grammars: int, threads: int) -> None:
    """Matchers of two grammars take turns (those of one are left to one thread)."""
    tokens = cl100k.encode(TEXT.decode())
    expected = [_alone(matcher, 3134) for matcher in _along(ff.compile_json_schema(SCHEMA, cl100k), tokens)]
    places = [_along(ff.compile_json_schema(SCHEMA, cl100k), tokens) for _ in range(grammars)]
    matchers = [matcher for same in zip(*places, strict=True) for matcher in same]
    bitmask = ff.allocate_bitmask(3 * len(matchers), cl100k.vocab_size)
    for _ in range(3):
        bitmask[:] = 5
        ff.fill_bitmask(matchers * 3, bitmask, threads=threads)
        assert bitmask.tolist() == [row for row in expected for _ in range(grammars)] * 3


@pytest.mark.parametrize("threads", THREADS)
def test_an_error_names_the_matcher_and_the_others_are_done(cl100k: ff.Tokenizer, threads: int) -> None:
    bad = ff.compile_lark(TOO_LARGE, cl100k, limits=ff.Limits(row_items=300)).matcher()
    assert bad.accept_bytes(b"aQ9") == 3
    good = _along(ff.compile_json_schema(SCHEMA, cl100k), cl100k.encode(TEXT.decode()))
    matchers = [*good[:4], bad, *good[4:8], bad, *good[8:]]
    bitmask = np.full((len(matchers), 3134), 99, dtype=np.int32)
    with pytest.raises(ff.LimitError, match=r"matcher 4: .*row_items") as caught:
        ff.fill_bitmask(matchers, bitmask, threads=threads)
    assert caught.value.limit == "row_items"
    for matcher, row in zip(matchers, bitmask, strict=True):
        if matcher is bad:
            assert (row == 99).all()
        else:
            assert row.tolist() == _alone(matcher, 3134)


def _read_only(shape: tuple[int, int]) -> np.ndarray[Any, Any]:
    mask = np.zeros(shape, dtype=np.int32)
    mask.flags.writeable = False
    return mask


@pytest.mark.parametrize(
    ("bitmask", "options", "message"),
    [
        (np.zeros((2, 3134), np.int32), {}, "matcher 2: index 2 is not in 0..1"),
        (np.zeros((3, 3134), np.int32), {"indices": [0, 1]}, "2 indices for 3 matchers"),
        (np.zeros((3, 3134), np.int32), {"indices": [0, 2, 3]}, "matcher 2: index 3"),
        (np.zeros((3, 3134), np.int32), {"indices": [0, 2, -1]}, "matcher 2: index -1"),
        (np.zeros((3, 3134), np.int32), {"indices": [0, 2, 1 << 80]}, "matcher 2: index"),
        (np.zeros((3, 3134), np.int32), {"indices": [2, 1, 2]}, "matcher 2: row 2 is another"),
        (np.zeros((3, 3133), np.int32), {}, "3133 words"),
        (np.zeros((3, 3134), np.int64), {}, "int32"),
        (np.zeros((3, 3134), np.float32), {}, "int32"),
        (np.zeros((3134,), np.int32), {}, "two dimensions"),
        (np.zeros((3134, 3), np.int32).T, {}, "C-contiguous"),
        (_read_only((3, 3134)), {}, "writable"),
        (np.zeros((3, 3134), np.int32), {"threads": 0}, "threads must be at least 1"),
    ],
)
def test_everything_is_checked_before_anything_is_written(
    cl100k: ff.Tokenizer, bitmask: Any, options: dict[str, Any], message: str
) -> None:
    grammar = ff.compile_json_schema(True, cl100k)
    matchers = [grammar.matcher() for _ in range(3)]
    with pytest.raises(ff.MatcherError, match=message):
        ff.fill_bitmask(matchers, bitmask, **options)
    with pytest.raises(ff.MatcherError, match=message):
        ff.fill_draft_bitmasks(matchers, [[], [], []], bitmask, **options)
    assert not bitmask.any()


def test_other_objects_are_refused(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema(True, cl100k)
    bitmask = np.zeros((2, 3134), np.int32)
    for wrong in (None, grammar, 7):
        with pytest.raises(TypeError, match="matcher 1"):
            ff.fill_bitmask([grammar.matcher(), wrong], bitmask)  # type: ignore[list-item]
    with pytest.raises(TypeError):
        ff.fill_bitmask([grammar.matcher()], bitmask, ["a"])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        ff.fill_draft_bitmasks([grammar.matcher()], [["a"]], bitmask)  # type: ignore[list-item]
    with pytest.raises(ff.MatcherError, match="1 drafts for 2 matchers"):
        ff.fill_draft_bitmasks([grammar.matcher()] * 2, [[]], bitmask)
    assert not bitmask.any()


# ---- drafted tokens


def _drafted(matcher: ff.Matcher, draft: list[int], words: int) -> tuple[int, list[list[int]]]:
    """The slow way."""
    ahead = matcher.fork()
    rows = [_alone(ahead, words)]
    for token in draft:
        if not 0 <= token < matcher.engine.tokenizer.vocab_size or not ahead.accept_token(token):
            break
        rows.append(_alone(ahead, words))
    return len(rows) - 1, rows + [[-1] * words] * (len(draft) + 1 - len(rows))


DRAFTS = st.lists(st.tuples(st.integers(0, 1 << 16), st.sampled_from("ggggggggxep")), max_size=12)


@given(st.lists(st.tuples(st.integers(0, 1 << 16), DRAFTS), max_size=6), st.sampled_from([1, 2]))
def test_drafts(
    crowd: list[ff.Matcher], cl100k: ff.Tokenizer, picks: list[tuple[int, list[tuple[int, str]]]], threads: int
) -> None:
    matchers, drafts, expected, counts = [], [], [], []
    for number, kinds in picks:
        matcher = crowd[number % len(crowd)]
        ahead = matcher.fork()
        draft = []
        for choice, kind in kinds:
            allowed = ahead.allowed_token_ids().tolist()
            token = allowed[choice % len(allowed)] if allowed else 0
            # one that is allowed, any, the end of the text, or what stands for no token at all
            token = {"g": token, "x": choice, "e": cl100k.eos_token_ids[0], "p": -1}[kind]
            draft.append(token)
            if token >= 0:
                ahead.accept_token(token)
        count, rows = _drafted(matcher, draft, 3134)
        before = matcher.tokens(), matcher.text_bytes, matcher.is_terminated()
        alone = np.full((len(draft) + 3, 3134), 99, dtype=np.int32)
        assert matcher.fill_draft_bitmasks(draft, alone, 1) == count
        assert alone[1:-1].tolist() == rows
        assert (alone[0] == 99).all()
        assert (alone[-1] == 99).all()
        assert before == (matcher.tokens(), matcher.text_bytes, matcher.is_terminated())
        matchers.append(matcher)
        drafts.append(draft)
        expected += rows
        counts.append(count)
    bitmask = np.full((len(expected), 3134), 99, dtype=np.int32)
    assert ff.fill_draft_bitmasks(matchers, drafts, bitmask, threads=threads) == counts
    assert bitmask.tolist() == expected


def test_drafts_where_caches_are_dropped(cl100k: ff.Tokenizer) -> None:
    tokens = cl100k.encode(TEXT.decode())
    roomy = ff.compile_json_schema(SCHEMA, cl100k).matcher()
    grammar = ff.compile_json_schema(SCHEMA, cl100k, limits=ff.Limits(cache_bytes=8_000))
    matchers = _along(grammar, tokens)
    bitmask = ff.allocate_bitmask(len(tokens) + 1, cl100k.vocab_size)
    expected = _drafted(roomy, tokens, 3134)[1]
    for place, matcher in enumerate(matchers):
        assert matcher.fill_draft_bitmasks(tokens[place:], bitmask, place) == len(tokens) - place
        assert bitmask[place:].tolist() == expected[place:]
        assert matcher.tokens() == tokens[:place]
    assert grammar.stats()["cache_drops"] > 0


def test_a_draft_that_reaches_a_limit_leaves_the_matcher(cl100k: ff.Tokenizer) -> None:
    matcher = ff.compile_lark(TOO_LARGE, cl100k, limits=ff.Limits(row_items=300)).matcher()
    tokens = cl100k.encode("aQ9")
    bitmask = ff.allocate_bitmask(2 * len(tokens) + 1, cl100k.vocab_size)
    with pytest.raises(ff.LimitError, match="row_items"):
        matcher.fill_draft_bitmasks(tokens, bitmask)
    assert matcher.num_steps == 0
    assert matcher.fill_draft_bitmasks(tokens[:-1], bitmask) == len(tokens) - 1
    with pytest.raises(ff.LimitError, match="matcher 1: "):
        ff.fill_draft_bitmasks([matcher, matcher], [tokens[:-1], tokens], bitmask)


@pytest.mark.parametrize(("rows", "index"), [(3, 0), (4, 1), (2, 0)])
def test_a_draft_needs_a_row_more_than_it_has_tokens(cl100k: ff.Tokenizer, rows: int, index: int) -> None:
    matcher = ff.compile_json_schema(True, cl100k).matcher()
    bitmask = np.zeros((rows, 3134), np.int32)
    with pytest.raises(ff.MatcherError, match="rows from"):
        matcher.fill_draft_bitmasks([1, 2, 3], bitmask, index)
    with pytest.raises(ff.MatcherError, match="matcher 0: 4 rows from"):
        ff.fill_draft_bitmasks([matcher], [[1, 2, 3]], bitmask, [index])
    assert not bitmask.any()


# ---- processes


def _fill_and_compare(matchers: list[ff.Matcher], expected: list[list[int]]) -> bool:
    bitmask = ff.allocate_bitmask(len(matchers), matchers[0].engine.tokenizer.vocab_size)
    ff.fill_bitmask(matchers, bitmask, threads=3)
    return bool(bitmask.tolist() == expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork is missing")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_children_of_a_process_that_is_busy(cl100k: ff.Tokenizer) -> None:
    """Processes are forked while other threads fill masks; children make threads of their own."""
    tokens = cl100k.encode(TEXT.decode())
    # (two grammars: one would be left to one thread)
    grammars = [ff.compile_json_schema(SCHEMA, cl100k, limits=ff.Limits(cache_bytes=50_000)) for _ in range(2)]
    matchers = [matcher for grammar in grammars for matcher in _along(grammar, tokens)]
    expected = [_alone(matcher, 3134) for matcher in _along(ff.compile_json_schema(SCHEMA, cl100k), tokens)] * 2
    # (this also imports all that is imported late, so that Python's locks of imports play no part in this test)
    assert _fill_and_compare(matchers, expected)
    going = True
    failures = []

    def work(masks: list[list[int]]) -> None:
        own = [matcher.fork() for matcher in matchers]
        while going:
            if not _fill_and_compare(own, masks):
                failures.append("parent")

    # (Without the GIL, Python locks a list that is compared. A child would find a list locked that a thread compares.)
    threads = [threading.Thread(target=work, args=([*map(list, expected)],)) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                # no assertion and no exception may leave the child
                code = 1
                try:
                    again = [matcher for grammar in grammars for matcher in _along(grammar, tokens)]
                    code = 0 if all(_fill_and_compare(again, expected) for _ in range(2)) else 2
                finally:
                    os._exit(code)
            deadline = time.monotonic() + 60
            status = (0, 0)
            while status[0] == 0 and time.monotonic() < deadline:
                status = os.waitpid(child, os.WNOHANG)
                time.sleep(0.002)
            if status[0] == 0:
                os.kill(child, 9)
                os.waitpid(child, 0)
            assert status == (child, 0)
    finally:
        going = False
        for thread in threads:
            thread.join()
    assert not failures


EXITS = """
import sys, threading
import ffgrammar as ff
tok = ff.Tokenizer.from_tiktoken("cl100k_base")
bitmask = ff.allocate_bitmask(40, tok.vocab_size)
# two places of each grammar, which keeps the mask of one: so there is work in every batch
limits = ff.Limits(mask_bytes=0)
grammars = [ff.compile_json_schema({"enum": [n, "a" * n]}, tok, limits=limits) for n in range(20)]
matchers = [grammar.matcher() for grammar in grammars * 2]
for matcher in matchers[20:]:
    matcher.accept_bytes(b'"')
ff.fill_bitmask(matchers, bitmask, threads=4)
def work():
    while True:
        ff.fill_bitmask(matchers, bitmask, threads=4)
        started.set()
if sys.argv[1] == "busy":
    started = threading.Event()
    threading.Thread(target=work, daemon=True).start()
    started.wait()
print("done")
"""


@pytest.mark.parametrize("how", ["idle", "busy"])
def test_a_process_ends_while_threads_wait_or_work(how: str) -> None:
    done = subprocess.run([sys.executable, "-c", EXITS, how], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
