"""The executable twin of a synthesized workplace: its tools as Python, locked in, and kept only where it agrees."""
