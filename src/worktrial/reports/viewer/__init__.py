"""The viewer behind the numbers: the samples of a run, and everything one of them did."""
