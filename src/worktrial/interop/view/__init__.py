"""The viewer as a local web app: the pages of a report, over runs that may still be growing."""
