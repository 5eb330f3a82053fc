"""Score a plan beside another both ways, with no model: python examples/score_a_plan.py.

The gold plan looks a patient up and then orders a repeat prescription. The predicted one does the same two things,
but does not say that the second has to wait for the first, and sends it to another agent.
"""

from worktrial.suites.orchestration.options import Scoring
from worktrial.suites.orchestration.scoring.rows import score_workflow

GOLD = """
workflow_1:
  status: pending
  type: independent
  steps:
    - {status: pending, name: vet_agent, refined_query: Find the dog Biscuit of the owner Berg}
workflow_2:
  status: pending
  type: dependent
  depend_on: workflow_1
  steps:
    - {status: pending, name: vet_agent, refined_query: Order Biscuit's tablets again}
"""
PREDICTED = """Here is the plan:
{"workflow_1": {"status": "pending", "type": "independent", "steps": [
   {"status": "pending", "name": "vet_agent", "refined_query": "Look up Biscuit (Berg)"}]},
 "workflow_2": {"status": "pending", "type": "independent", "steps": [
   {"status": "pending", "name": "freight_agent", "refined_query": "Order the tablets"}]}}
"""

if __name__ == "__main__":
    for scoring in Scoring:
        score = score_workflow({"gold_text": GOLD, "predicted_text": PREDICTED}, scoring, nodes=50_000)
        print(f"{scoring}: {score.score:.3f} (structure {score.structure:.3f}, components {score.components:.3f})")
