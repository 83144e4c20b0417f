"""Unigram models: the pieces that a text is cut into are those with the greatest sum of scores.

In reading order:

    charsmap   the map of characters that such a model normalizes a text with
    best_path  the encoder: the best path through a text
"""
