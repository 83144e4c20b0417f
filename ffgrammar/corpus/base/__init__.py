"""What jobs stand on.

In reading order:

    arrow    columns of Arrow as flat arrays
    shipped  tokenizers and grammars on their way to other processes
"""
