"""The figures of a whole orchestration trial, in the published and in the sound scoring mode."""
