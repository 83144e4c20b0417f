"""The engine: a compiled grammar at work on a vocabulary. It says after every token which tokens may come next.

An `Engine` belongs to a grammar and holds everything its matchers share; a `Matcher` follows one text.

The rooms, in reading order:

    engine.pyx    the owner of a grammar's tables and caches, their budgets, and the lock
    parser/       Earley sets whose rows say what may follow, shared by all texts
    recognizer/   lexer and parser together, one byte at a time; whether a text can still be completed
    masks/        the tokens that may come next, and the caches that most masks are copied from
    values/       what a grammar cannot say of a JSON text: keys and items that must differ
    position/     the steps of a text, and the cursor that moves along it
    canonical/    the tokenizer's own tokens: look-ahead, masks, forced tokens, the policy
    budget/       texts of at most a number of tokens
    captures/     which parts of a text the rules derive or the parts of a composition read, found when it is asked for
    columns/      many texts at a time: whether they are sentences, and how many of their tokens were forced
    explain/      what is open and expected at a place, and why a byte is refused there
    matcher/      the public matcher, prompts, and masks of many matchers at once

Locks are taken in this order. A thread that holds one of them never takes one that stands before it:

    1. The lock of an engine, for all kernels that move a text or fill a cache. A thread that waits for this lock
       releases the GIL, because the lock's holder may need it.
    2. The lock of a mask table, for a look-up or a change. A known mask is found with this lock alone.
    3. The lock of a tokenizer's partition table, for a look-up or a change. The engines of all grammars on the
       tokenizer share this table.

Before the process forks, engine.pyx takes all these locks. Before them it takes a lock that keeps new engines out.
"""
