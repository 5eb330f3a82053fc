"""The returns desk of an online shop for home and electronics."""
