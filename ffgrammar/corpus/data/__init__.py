"""Files of data: JSONL, Parquet and Arrow, read in parts, and results written.

In reading order:

    part        a part of a file: what one task reads
    json_lines  JSONL, plain or compressed
    tables      Parquet and Arrow
    inputs      from the names of files and folders to parts
    reading     the record batches of a part
    writing     a part of the results, as Parquet or JSONL
"""
