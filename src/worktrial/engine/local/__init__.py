"""The embedded language model: a real model on this machine's CPU, without key or network.

Its scores say nothing about agents; it is there to see everything work.
"""
