"""Errors of rows that are to be scored."""


class BadRow(ValueError):
    """A row lacks what is to be scored; the message names the fields."""
