"""What people write, read as values: numbers, dates, times, money."""
