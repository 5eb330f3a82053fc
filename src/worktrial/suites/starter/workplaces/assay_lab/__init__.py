"""A research laboratory's samples, reagent lots and instruments."""
