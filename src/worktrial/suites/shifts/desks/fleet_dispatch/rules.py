"""What is right on a day at the dispatch desk, from the handbook's rules and the day's records and events.

Shares no code with the tools: it reads the first state and what is still to come.
"""

from . import law, loads, roads
from .words import CERTIFICATES, FIRST_WORD, REPORT, contact_of, desk

__all__ = ["CERTIFICATES", "FIRST_WORD", "REPORT", "contact_of", "desk", "law", "loads", "roads"]
