from worktrial.statistics import CompletionRate, Profile, mean_profile


def test_an_industry_with_more_tasks_counts_for_more() -> None:
    profile = Profile({"Health": CompletionRate(9, 0, 0), "Trade": CompletionRate(0, 0, 1)})
    assert profile.overall == CompletionRate(9, 0, 1)
    assert profile.overall.of_all.share == 0.9
    assert Profile({}).overall.of_all.share is None


def test_every_agent_counts_the_same_in_a_mean_profile() -> None:
    few = Profile({"Health": CompletionRate(1, 1), "Trade": CompletionRate()})
    many = Profile({"Health": CompletionRate(100, 0), "Art": CompletionRate(1, 3)})
    assert mean_profile([few, many]) == {"Health": 0.75, "Art": 0.25}
    assert mean_profile([]) == {}
