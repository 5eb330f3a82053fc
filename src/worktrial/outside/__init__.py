"""Files, JSON, YAML, schemas and patterns that somebody else wrote, read within bounds.

Whoever reads a suite, a workplace, a stored run or a description of an interface reads it through this room. Bytes,
levels, values and digits are counted before anything is built of them, no link and no `..` leads out of the folder
that was named, and what is refused is a `DataError` that names file and field.
"""
