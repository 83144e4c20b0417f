"""The matcher that users hold, and masks of many matchers at once.

In reading order:

    bitmask         the arrays that callers pass in
    pending_prompt  the bytes of a prompt that the first tokens must spell
    prompt_cut      where a prompt is cut, so that its tokens are right whatever follows
    steps           how a matcher moves, goes back and is copied: a cursor, with a budget, a pending prompt and a
                    canonical policy beside it where they are needed
    reading         what its text is so far: a sentence or not, captures, explanations
    matcher         the matcher itself: what may come next, and what must
    drafted         the ids of drafted tokens
    batch           the masks of many matchers, one row for each, on several threads
    apply           a bitmask applied to a model's scores
    device_logits   the same for scores on a GPU
"""
