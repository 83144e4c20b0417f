"""Canonical token sequences: the ones that the tokenizer itself makes of a text.

In reading order:

    sure_states  from which states of a pre-tokenizer's automaton every text can go on
    outcomes     the sets of hypotheses about pre-token boundaries that a text can lead to
    stops        where a text, or a pre-token, may end
    transitions  what each token does to a hypothesis
    rules        whether a token may follow a sequence
    endings      what may follow those tokens after which the pre-token cannot end
    sieve        the tokens that the rules let follow a state
    following    which tokens may follow a sequence
    partners     whether merges leave a token before one of certain others
    other_ways   what may come in the place of a token if the text goes on
    cuts         where a text is cut into pre-tokens, whatever text follows
    sequence     a sequence that grows, as a class for Python code
    coverings    the sequences that cover the beginning of a text
    unsettled    the end of a sequence, which more text may change
    lazy_rules   a tokenizer's rules, made when they are first asked for
"""
