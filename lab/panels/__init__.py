"""Panels of pages: what our reader gets right and wrong beside the bare engines that it wraps."""

from lab.panels.compare import Count, Standing, read_numbers, standing
from lab.panels.engines import Reading, bare_readers, cached, own_reader

__all__ = ["Count", "Reading", "Standing", "bare_readers", "cached", "own_reader", "read_numbers", "standing"]
