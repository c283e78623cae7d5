"""Propose, ratify, freeze: an artifact goes into use only if it was shown to help."""
