"""Panels of pages: what our reader gets right and wrong beside the bare engines that it wraps."""

from lab.panels.compare import Count, Standing, standing
from lab.panels.engines import Reading, bare_readers, cached, own_reader
from lab.panels.meaning import MeaningLookUp, look_up_meanings, page_of, read_meanings
from lab.panels.meaning_print import print_meanings
from lab.panels.transcribed import Transcript, read_transcripts

__all__ = [
    "Count",
    "MeaningLookUp",
    "Reading",
    "Standing",
    "Transcript",
    "bare_readers",
    "cached",
    "look_up_meanings",
    "own_reader",
    "page_of",
    "print_meanings",
    "read_meanings",
    "read_transcripts",
    "standing",
]
