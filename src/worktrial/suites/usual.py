"""What is usual where a user says nothing; the embedded model has figures of its own."""

# The embedded model serves one request at a time: side by side, samples would only push each other's prompts out
# of its cache.
USUAL_CONCURRENCY = 16
LOCAL_CONCURRENCY = 1

# A small model that is lost repeats itself; more turns would only cost minutes.
USUAL_TURNS = 60
LOCAL_TURNS = 16

# Characters of a trajectory for a judge; the smaller fits into the embedded model's context beside the rest.
USUAL_RECORD = 120_000
LOCAL_RECORD = 12_000
