"""Reading of what people write as values: numbers, dates, times of day, money."""

from enum import StrEnum


class DateOrder(StrEnum):
    """Order of month and day where both are numbers."""

    MONTH_FIRST = "month_first"
    DAY_FIRST = "day_first"
