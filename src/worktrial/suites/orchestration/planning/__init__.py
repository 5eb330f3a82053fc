"""Planning over domain agents: workflows as DAGs, agent cards, scenarios and their histories."""
