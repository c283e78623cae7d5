"""Runs of HELM."""
