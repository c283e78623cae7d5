"""The bundled benchmarks."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where they lie; importlib.resources would cost more than reading them does."""
