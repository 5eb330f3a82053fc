"""Reading of what people write as values: numbers, dates, times of day, money."""
