"""The bundled benchmarks."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Their folder; importlib.resources would take longer than reading them."""
