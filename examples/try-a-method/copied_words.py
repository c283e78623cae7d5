"""Two methods that read no meaning, to see what a benchmark gives away to them."""


def detect(question: str, response: str) -> float:
    """The share of the response's words that stand in the question."""
    asked = set(question.lower().strip("?").split())
    said = response.lower().split()
    return sum(word in asked for word in said) / len(said) if said else 0.0


class Vocabulary:
    """Learns how often each word stood in a wrong answer, and scores by the mean."""

    def fit(self, examples):
        """Count, with one made-up right and wrong answer each, so that no word is certain."""
        wrong, seen = {}, {}
        for example in examples:
            for word in set(example["response"].lower().split()):
                seen[word] = seen.get(word, 2) + 1
                wrong[word] = wrong.get(word, 1) + example["target"]

        def score(question, response):
            words = [word for word in response.lower().split() if word in seen]
            return sum(wrong[word] / seen[word] for word in words) / len(words) if words else 0.5

        return score
