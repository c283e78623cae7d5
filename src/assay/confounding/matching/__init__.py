"""The search for a subset whose surface does not predict the label."""
