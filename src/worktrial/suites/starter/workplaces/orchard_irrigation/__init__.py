"""The irrigation desk of an orchard on a canal with rotating turns."""
