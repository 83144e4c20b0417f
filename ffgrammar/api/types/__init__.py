"""JSON Schemas of Python types and functions. In reading order:

plain_types    the types of the standard library that need no further package
with_pydantic  all types that pydantic knows
schema_of      `schema_of`
"""
