"""Verbs that ask a language model."""
