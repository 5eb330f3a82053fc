"""Credit officer at quarter end: drawdowns, covenants, collateral, waivers, group limits, guarantees, inquiries."""
