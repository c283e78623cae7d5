"""Running a system on a copy of its state, and seeing which files it opens.

A small process of its own, the *warden*, starts each command: in a private mount namespace where
there may be one, so that all but the run's own folder is read-only and the path of production shows
the copy; and under a system-call filter that tells the warden of every file before it is opened.
This observes; it does not hold back code that means to escape.

Not noted: what is only looked at (listing a folder, a file's size and times, what a link says);
what several threads do to one path between its being noted and its being opened; datagrams sent by
`sendmsg` without connecting; keys that the kernel keeps; the loader of a program; and what a
process that was there before writes into the run's own folder.
"""
