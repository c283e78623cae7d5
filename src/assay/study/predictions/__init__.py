"""Predictions, their grades, and their calibration."""
