"""Scoring rows of a file, with no run behind them: one output row for each input row."""
