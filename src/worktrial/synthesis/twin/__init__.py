"""The executable face of a synthesized workplace: its tools as Python, locked in, and kept only where it agrees."""
