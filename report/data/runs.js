Worktrial.receive("runs",{runs:'[{"slug":"odd","name":"m","suite":"starter"}]'});
