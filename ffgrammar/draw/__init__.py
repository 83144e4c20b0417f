"""Pictures and pieces of pages: what notebooks, reports and the playground draw with.

All functions take plain values and return text: HTML or SVG without scripts, fonts or other files. Text from outside is
always escaped.

In reading order:

- text: bytes as text in which everything can be seen.
"""
