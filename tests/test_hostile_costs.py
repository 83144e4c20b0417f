"""What hostile sources cost in memory, which is the same on every machine and grows with the time."""

from __future__ import annotations

import pytest

import ffgrammar as ff
from ffgrammar.grammar.json_schema.emit import emptiness
from hostile.sources import compiled, sources
from hostile.variants import variants

# name of a source: the most expressions, and the most megabytes, of its grammar after the masks along its text
MAX_COSTS = {
    "one of 8 multiples": (60_000, 16),
    "one of 12 multiples": (60_000, 20),
    "one of 12 multiples in a row": (60_000, 20),
    "a terminal with 50 conditions": (60_000, 40),
    "one of 200 objects of one key": (10_000, 10),
    "one of 400 objects of one key": (10_000, 10),
    "one of 400 kinds, without keys": (10_000, 10),
    "exactly one of 800 kinds: no type": (20_000, 20),
    "exactly one of 800 kinds: first items": (20_000, 20),
    "exactly one of 400 closed kinds, two keys": (20_000, 20),
    "one of 400 kinds, others unevaluated": (20_000, 20),
    "400 conditions on two keys": (20_000, 20),
    "400 conditions, others unevaluated": (20_000, 20),
    "40 choices about one key": (20_000, 16),
    "200 conditions on numbers": (20_000, 16),
    "exactly one of 800 kinds: a field each": (20_000, 60),
    "exactly one of 800 kinds: a needed key each": (20_000, 60),
    "exactly one of 800 kinds: a range each": (20_000, 60),
    "400 conditions on tags of their own": (20_000, 20),
    "200 rules about keys: then and else": (10_000, 20),
    "200 rules about keys: then a type, else another": (10_000, 20),
    "200 rules about keys: if two keys": (10_000, 20),
    "200 rules about keys: closed": (10_000, 20),
    "200 rules about keys: names": (10_000, 20),
    "200 rules about keys: not all three": (10_000, 20),
    "200 rules about keys: not both values": (10_000, 20),
    "100 dependent keys, apart": (10_000, 10),
    "100 dependent keys, listed": (10_000, 10),
    "100 pairs of keys, not both": (10_000, 10),
    "24 times exactly one of 4 keys": (10_000, 10),
    "24 times one of 4 needed types": (10_000, 10),
    "800 conditions that demand the same": (10_000, 10),
    "exactly one of 60 counts": (10_000, 10),
    "none of 60 ranges": (10_000, 10),
    "20 terminals around": (10_000, 100),
    "12 look-aheads": (12_000, 20),
    "12 look-aheads, no room": (4_000, 4),
    "12 look-aheads, upper and lower": (12_000, 20),
    "16 look-aheads of words": (10_000, 10),
    "10 look-aheads of words that overlap": (30_000, 20),
    "all of 40 letters, short": (5_000, 4),
    "lengths of 8 primes": (3_000, 4),
    "200 conditions on patterns": (120_000, 20),
    "100 conditions on endings": (250_000, 40),
    "9 words in keys": (20_000, 16),
    "15 words in keys, the same for all": (10_000, 16),
    "15 endings of long keys": (10_000, 16),
    "15 words in a string demand": (10_000, 16),
    "15 words in a string forbid": (10_000, 16),
    "15 ranges that overlap demand": (10_000, 10),
    "24 roles and a flag": (10_000, 16),
    "24 letters, each once": (10_000, 16),
    "24 letters, each somewhere": (10_000, 16),
    "24 words in two choices of arrays": (100_000, 40),
    "24 letters in two choices of arrays, somewhere": (10_000, 16),
    "24 letters in two choices of arrays, twice": (100_000, 40),
    "24 letters, most used up": (10_000, 16),
    "24 words, most used up": (10_000, 16),
    "20 times one of 3 patterns": (10_000, 10),
    "20 conditions on a string": (20_000, 16),
    "20 times a pattern or not another": (20_000, 16),
    "20 times a pattern or a number": (20_000, 16),
    "keys with 20 letters, two named": (10_000, 10),
    "exactly one of hostname and idn-hostname": (120_000, 60),
    "exactly one of email and idn-email": (80_000, 32),
    "400 conditions in each other": (20_000, 16),
}
ALL = {one.name: one for one in (*sources(), *variants())}


@pytest.mark.parametrize("name", MAX_COSTS)
def test_memory(cl100k: ff.Tokenizer, name: str) -> None:
    one = ALL[name]
    grammar = compiled(one, cl100k, ff.Limits())
    matcher = grammar.matcher()
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    try:
        for token in cl100k.encode(one.text.decode()):
            matcher.fill_bitmask(bitmask)
            matcher.accept_token(token)
        matcher.fill_bitmask(bitmask)
    except ff.LimitError as error:
        # (only patterns and multiples may take too much)
        assert error.limit == "mask_work" and "conditions" not in name and "keys" not in name
    found = grammar.stats()
    expressions, megabytes = MAX_COSTS[name]
    assert found["expressions"] <= expressions and found["bytes"] <= megabytes << 20


@pytest.mark.parametrize("name", ["8, not 8", "10, not 10", "20, not 20", "40, not 40", "8, not 7", "10, not 9"])
def test_a_contradiction_is_seen_soon(cl100k: ff.Tokenizer, name: str) -> None:
    with pytest.raises(ff.GrammarError, match="no value obeys"):
        compiled(ALL[f"ends with {name}"], cl100k, ff.Limits(emptiness_steps=5000))


def test_the_search_for_parts_that_contradict_each_other_is_bounded(
    cl100k: ff.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns = ["^(a{31})+$", "^([ab]{29})+$", "^[ac]*$"]
    schema = {
        "allOf": [{"type": "string", "maxLength": 880}, *[{"type": "string", "pattern": one} for one in patterns]]
    }
    with pytest.raises(ff.GrammarError, match="contradict each other"):
        ff.compile_json_schema(schema, cl100k)
    monkeypatch.setattr(emptiness, "MOST_WORK", 1)
    with pytest.raises(ff.GrammarError, match=r"no value obeys this schema$"):
        ff.compile_json_schema(schema, cl100k)


def test_a_long_literal_is_not_copied_for_each_of_its_states() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    grammar = ff.compile_json_schema({"const": "x" * 1_000_000}, tok)
    matcher = grammar.matcher()
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    assert matcher.accept_bytes(b'"') == 1
    before = grammar.stats()["partition_bytes"]
    for _ in range(20):
        matcher.fill_bitmask(bitmask)
        assert matcher.accept_bytes(b"x") == 1
    assert grammar.stats()["partition_bytes"] - before < 100_000
