"""Authoring of a workplace as code: asked for in steps, each compiled, run in the sandbox and mended."""
