"""One trial for every suite with tools: load, workplace, faults, agent, verdict."""
