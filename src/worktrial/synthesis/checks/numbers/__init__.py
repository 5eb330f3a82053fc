"""Where the numbers of a rubric come from."""

from worktrial.synthesis.checks.numbers.derive import Known
from worktrial.synthesis.checks.numbers.read import Numeral, numerals

__all__ = ["Known", "Numeral", "numerals"]
