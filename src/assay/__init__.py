"""Assay: find out what a number about an AI system is made of, before you believe it."""
