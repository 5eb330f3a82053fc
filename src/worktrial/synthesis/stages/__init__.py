"""The steps from a job to a suite, each with a typed artifact in and one out."""
