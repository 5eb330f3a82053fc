"""Charge nurse of an emergency department: bays, nurses, ward beds, callers, controlled drugs, and the board."""
