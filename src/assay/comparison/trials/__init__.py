"""Paired trials: the runs of both arms, made, watched and compared."""
