"""Document archives: parsing, recognition, tables, the store, search, and the tools offered to an agent."""
