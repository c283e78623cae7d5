"""The bundled benchmarks and bars."""
