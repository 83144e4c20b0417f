"""Sources that strangers may send because they cost much where an engine is naive. In reading order:

- sources: the corpus, by kind and size, each source with a text on which masks are made.
- patterns: many patterns for one string.
- strings: many choices about strings, and formats beside each other.
- choices: choices between objects, and conditions.
- kinds: objects with a tag, counts of keys, and keywords that need each other.
- contains: arrays that must contain this and that.
- cycles: references that go round together.
- mixtures: several of these at once.
- variants: the cost of the best known sources in other forms, from all of these.

`sources.sources()` and `variants.variants()` give them all. Their bounds are those of `Limits.public()` in
test_hostile_sources, and those of each kind in test_hostile_costs.
"""
