"""Unigram models: a text is cut into the pieces whose scores have the greatest sum.

In reading order:

    charsmap   the map of characters that such a model normalizes a text with
    best_path  the encoder: the best path through a text
"""
