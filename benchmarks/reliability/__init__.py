"""The campaign: what endpoints, kills and machines do to runs, and what it costs them."""
