"""Notations, one file each. In reading order:

- lark_text, gbnf_text: notations that are read again.
- ir_text, dot_text: a listing and a graph.
- railroad, svg_text: the pieces of a railroad diagram, and the document.
"""
