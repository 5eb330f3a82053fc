from tests.support.growth import calls, growth


def test_calls_are_the_same_each_time_and_grow_with_the_work() -> None:
    def work(n: int) -> None:
        for number in range(n):
            abs(number)

    assert calls(lambda: work(100)) == calls(lambda: work(100))
    assert 200 < calls(lambda: work(400)) - calls(lambda: work(100)) < 400


def test_growth_tells_squares_from_lines() -> None:
    assert growth(lambda n: sum(range(n)), 200_000) < 8
    assert growth(lambda n: [i for i in range(n) for _ in range(n)], 250) > 10
