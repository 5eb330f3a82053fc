"""What every kind of row shares."""


class BadRow(ValueError):
    """A row lacks what is to be scored; the message names the fields."""
