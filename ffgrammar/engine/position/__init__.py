"""Where a text stands.

In reading order:

    history   the steps of a text, shared by its forks
    cursor    a history and the configuration after it: moving, taking steps back, masks
    written   what was written up to a cursor, as Python objects
"""
