"""Figures of stored runs, with intervals, beside the floors."""
