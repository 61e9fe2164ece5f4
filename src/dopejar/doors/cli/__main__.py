"""`python -m dopejar.doors.cli` is `dopejar`.

Takes: the command line. Gives: an exit code. Never: anything of its own.
"""

from dopejar.doors.cli.start import main

if __name__ == "__main__":
    main()
