"""A method over a benchmark: workers, answers, the run and its folder."""
