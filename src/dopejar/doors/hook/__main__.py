"""`python -m dopejar.doors.hook` is `dopejar-hook`.

Takes: the payload on stdin. Gives: an exit code. Never: anything of its own.
"""

from dopejar.doors.hook.start import main

if __name__ == "__main__":
    main()
