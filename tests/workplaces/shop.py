"""A small workplace for tests."""

from worktrial.workplaces import Tool, Workplace

RULES = """### 1. Role
You are the back office of a shop.

#### State Initialization
```json
{{initial_state}}
```
Meaning:
```json
{{state_descriptions}}
```

#### Action Space
```json
{{action_set_definitions}}
```

#### Input Parsing & Program Execution
Calls are JSON with these fields:
- `"name"`: the action
```json
{"name": "refund", "arguments": {}}
```
Read the JSON. You must validate that the amount is positive before anything else.

##### Error Handling
A refund above the price fails with {"error": "too much"}; see `{{action_set_definitions}}`.

##### Output Assembly
Give only the declared fields.

### 4. Key Principles
- **Format**: JSON only.
- **Consistency**: An order refunded stays refunded.
"""

_ID = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}

SHOP = Workplace(
    name="shop",
    system_prompt=RULES,
    tools=(
        Tool("get_order", "Shows an order.", _ID, {"order_id": "X-0", "status": "shipped", "total": 3.5}),
        Tool("list_orders", "Shows all orders.", {"type": "object", "properties": {}}, [{"order_id": "X-0"}]),
        Tool("refund", "Refunds an order.", _ID, {"status": "refunded"}, writes=True),
        Tool("note", "Writes a note.", {"type": "object"}),
    ),
    initial_state={"orders": [{"order_id": "A-1", "status": "new", "total": 20}], "log": []},
    state_description={"orders": "All orders of the shop", "log": "What was done"},
)
CLOCK = "2026-02-03T10:00:00"
