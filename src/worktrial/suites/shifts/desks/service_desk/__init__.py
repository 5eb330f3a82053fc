"""On-call IT service desk of a freight company: accounts, access, licences, incidents, changes, loans, restores."""
