"""Tools: their definitions, and the formats in which models call them. In reading order:

format           what a format consists of
json_formats     formats with JSON arguments
argument_formats formats in which arguments are written one by one
definitions      tools as users define them
choice           which tools may be called
strict           warnings about schemas outside OpenAI's strict subset
marks            the pieces of a format as parts of a composition
names            a choice between names as a tree
values           which strings a schema allows where they have no quotes
arguments        the arguments of a tool as a part
answer           answers in a format
harmony          the format of gpt-oss
reasoning        the block of reasoning before an answer
table            the formats by name
compile          `compile_tools`
response_format  `compile_response_format`
request          `compile_request`
read             `read_answer`
"""

# (the whole package before one of its files: two threads that import the two first would wait for each other)
import ffgrammar.grammar.json_schema  # noqa: F401
