"""Jobs: what is done with each row. A job is a function from a record batch of Arrow to a record batch.

In reading order:

    job       what all jobs have in common
    check     whether token ids are canonical
    grammars  the grammar of each row
    validate  whether texts are sentences of a grammar
    tokenize  the tokens of texts
    forced    how many tokens of texts were forced
"""
