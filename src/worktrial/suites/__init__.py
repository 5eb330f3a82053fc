"""The suites: each loads its data, makes samples, and wires workplace, agent and grader."""
