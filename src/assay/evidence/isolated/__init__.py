"""Running a system on a copy of its state, and seeing which files it opens.

A small process of its own, the *warden*, starts each command: in a private mount namespace where
there may be one, so that all but the run's own folder is read-only and the path of production shows
the copy; and under a system-call filter that tells the warden of every file before it is opened.
This observes; it does not hold back code that means to escape.
"""
