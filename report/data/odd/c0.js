Worktrial.receive("odd/c0",{changes:[null]});
