"""The tools offered to an agent that reads an archive; no harness is needed to use them."""
