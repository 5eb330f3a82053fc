"""Columns of an archive's Parquet files."""

import pyarrow as pa

_TEXT, _WHOLE, _REAL = pa.string(), pa.int32(), pa.float64()
PAGE_SCHEMA = pa.schema(
    [
        ("document", _TEXT),
        ("page", _WHOLE),
        ("width", _REAL),
        ("height", _REAL),
        ("route", _TEXT),
        ("text", _TEXT),
        ("tables", _WHOLE),
        ("confidence", _REAL),
        ("trouble", _TEXT),
        ("content", pa.binary()),
    ]
)
TABLE_SCHEMA = pa.schema(
    [
        ("document", _TEXT),
        ("page", _WHOLE),
        ("table_no", _WHOLE),
        ("title", _TEXT),
        ("unit", _TEXT),
        ("rows", _WHOLE),
        ("columns", _WHOLE),
        ("header_rows", _WHOLE),
        ("label_columns", _WHOLE),
        ("headers", _TEXT),
        ("labels", _TEXT),
        ("periods", _TEXT),
        ("notes", _TEXT),
        ("text", _TEXT),
        ("confidence", _REAL),
        ("x0", _REAL),
        ("y0", _REAL),
        ("x1", _REAL),
        ("y1", _REAL),
    ]
)
CELL_SCHEMA = pa.schema(
    [
        ("document", _TEXT),
        ("page", _WHOLE),
        ("table_no", _WHOLE),
        ("row_no", _WHOLE),
        ("column_no", _WHOLE),
        ("text", _TEXT),
        ("value", _REAL),
        ("label", _TEXT),
        ("header", _TEXT),
        ("unit", _TEXT),
        ("period", _TEXT),
        ("confidence", _REAL),
        ("repaired", pa.bool_()),
        ("is_header", pa.bool_()),
    ]
)
