"""What people look at: the static site of a report."""
