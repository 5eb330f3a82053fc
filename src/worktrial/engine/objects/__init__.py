"""Runs in object stores: written part by part from a folder on this machine, and read back into one."""
