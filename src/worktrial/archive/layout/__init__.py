"""Tables and text of a page from the places of its words."""
