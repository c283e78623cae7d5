"""The trick of copied_words.py as an async method, and as one that takes lists."""

import asyncio

import copied_words


async def detect(question: str, response: str) -> float:
    """Awaits its answer, as one that asks a service would."""
    await asyncio.sleep(0)
    return copied_words.detect(question, response)


def detect_batch(questions: list[str], responses: list[str]) -> list[float]:
    """One answer for each item, in their order."""
    return [copied_words.detect(*item) for item in zip(questions, responses, strict=True)]
