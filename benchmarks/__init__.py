"""Side-by-side measurements. `python -m benchmarks.harness --help`; what was measured is in `RESULTS.md`."""
