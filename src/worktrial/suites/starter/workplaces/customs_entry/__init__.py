"""Import entries at a customs office: assessment, holds and release."""
