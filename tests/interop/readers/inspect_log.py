"""Read every exported log with inspect-ai; runs in an environment of its own."""

import sys
from pathlib import Path

from inspect_ai.analysis import events_df, samples_df
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

folder = Path(sys.argv[1])
samples = events = faults = 0
for path in sorted(folder.rglob("*.eval")):
    log = read_eval_log(str(path))
    assert log.status == "success" and log.samples and log.results
    assert len(read_eval_log_sample_summaries(str(path))) == len(log.samples) == log.results.total_samples
    for sample in log.samples:
        assert bool(sample.scores) != (sample.error is not None)
        events += len(sample.events)
        faults += sum(event.event == "info" for event in sample.events)
        for event in sample.events:
            if event.event == "model":
                assert len(event.input) < len(sample.messages)
    samples += len(log.samples)
assert len(samples_df(str(folder))) == samples
assert len(events_df(str(folder))) == events
print(samples, "samples,", events, "events,", faults, "faults read, as objects and as data frames")
