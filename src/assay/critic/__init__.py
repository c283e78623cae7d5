"""Is the answer right, in a model's judgement? Scores from a model that is shown an answer."""
