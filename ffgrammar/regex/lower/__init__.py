"""From syntax trees to expressions over bytes. In reading order:

- utf8: characters and their sets as UTF-8; what an encoding is.
- json_text: characters as a JSON string spells them.
- tree_walk: how a tree is evaluated; what lowering and look_around have in common.
- lowering: trees without look-around; `lower`, `lower_search`, `compile_regex`.
- look_around: trees with look-around or word boundaries.
- look_around_chains: expressions with conditions between them, and how conditions are removed.
- look_around_loops: repeats whose conditions see into the next round.
"""
