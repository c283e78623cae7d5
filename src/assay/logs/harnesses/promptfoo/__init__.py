"""Logs of promptfoo."""
