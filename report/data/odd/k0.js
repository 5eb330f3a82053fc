Worktrial.receive("odd/k0",{numbers:'{"0\\nE0\\nlab-01":0}'});
