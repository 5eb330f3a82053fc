"""Requests that can wait a day, through providers' batch interfaces, at half the price."""
