"""Requests of a run through providers' batch interfaces: half the price, for answers within a day."""
