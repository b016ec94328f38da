"""How long the commands take, beside how long they may; standard library only.

``.ci/run`` uses it before anything is installed.
"""
