"""The archive on disk."""
