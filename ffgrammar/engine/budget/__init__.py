"""Budgets: a text ends within a number of tokens.

A token may come under a budget only if the text can still be completed with the tokens that are left after it. So this
room finds how many tokens a configuration needs, and keeps the answer.

In reading order:

    fewest_tokens   the answer of `min_tokens`: a number, and whether it is exact
    likely_byte     the byte with which a shortest completion probably begins
    plans           one completion of each configuration, byte by byte
    token_costs     how many tokens a configuration needs: the exact number, or those of its plan
    token_set       sets of tokens as words
    class_words     the tokens that stay inside a lexeme, by the lexer state after them
    counted_loop    states whose classes are those of a state with a longer loop
    class_patch     states whose classes hardly differ from those of another state
    state_classes   the classes of a grammar's states
    budget_masks    the tokens after which a number of tokens suffices
    token_budget    the part of a matcher that counts its tokens
"""
