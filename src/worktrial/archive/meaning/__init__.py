"""The meaning of a table's cells: labels, headings, units, periods, values, sums."""
