"""Object stores: what lies in one, who writes there, and what this machine keeps of it."""
