"""Numbers as the bulletin prints them."""


def rounded(value: int, divisor: int, decimals: int) -> int:
    """`value / divisor` in units of the last printed digit, half away from zero."""
    scaled, rest = divmod(abs(value) * int(10**decimals), divisor)
    size = scaled + (2 * rest >= divisor)
    return -size if value < 0 else size


def digits(units: int, decimals: int) -> str:
    """Units of the last digit as text with thousands separators: `-1,234.5`."""
    sign, size = ("-" if units < 0 else ""), abs(units)
    if not decimals:
        return f"{sign}{size:,}"
    whole, part = divmod(size, 10**decimals)
    return f"{sign}{whole:,}.{part:0{decimals}d}"


def printed(value: int, divisor: int, decimals: int = 0) -> str:
    """Number as a table prints it: a dash for nothing, a star for less than half of the last digit."""
    if not value:
        return "-"
    units = rounded(value, divisor, decimals)
    return digits(units, decimals) if units else "*"
