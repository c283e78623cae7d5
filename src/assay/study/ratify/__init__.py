"""Propose, ratify, freeze: an artifact goes into use only where it was shown to help."""
