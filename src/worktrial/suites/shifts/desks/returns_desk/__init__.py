"""The returns and warranty desk of an electronics retailer, in Korean."""
