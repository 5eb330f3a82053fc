"""Reading stored runs. Nothing here calls a model."""
