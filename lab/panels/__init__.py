"""Panels of pages: what our reader gets right and wrong beside the bare engines that it wraps."""

from lab.panels.compare import Count, Standing, standing
from lab.panels.engines import Reading, bare_readers, cached, own_reader
from lab.panels.transcribed import Transcript, read_transcripts

__all__ = [
    "Count",
    "Reading",
    "Standing",
    "Transcript",
    "bare_readers",
    "cached",
    "own_reader",
    "read_transcripts",
    "standing",
]
