"""The two things a method can be asked to do."""

from typing import Literal

Task = Literal["detection", "classification"]
TASKS: tuple[Task, ...] = ("detection", "classification")
