"""Setting type: content gets places on paper."""
