"""What a run reports.

In reading order:

    summary  what a job found, in numbers
    page     a summary as a page with pictures
"""
