"""Runs: a job over files, part by part, on one machine or on an engine that shares parts out to many.

A part is done when its summary is written, and what was done is never done again. So a run that was killed goes on
where it was, whichever engine it ran on.

In reading order:

    task       one part: read, work, write
    manifest   what a folder of results is the result of
    lock       one run at a time in a folder
    processes  worker processes on this machine
    on_ray     Ray Data
    on_spark   Spark
    run        a whole run
"""
