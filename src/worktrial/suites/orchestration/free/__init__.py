"""Free running: a model's own plan directs its own domain agents through a whole scenario."""
