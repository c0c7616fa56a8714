"""How random programs are run: the one list of option sets. Whatever the options, a program must print the same.

`SETS` is by kind of build, since a collection at every allocation says most with the address sanitizer, which makes it
slow, while preemptions are cheap. TASKS is added for programs with many threads, whose waits take virtual time.
"""

SETS = {
    "release": {
        "plain": [],
        "quota 1": ["--quota", "1"],
    },
    "asan": {
        "plain": [],
        "gc-stress": ["--gc-stress"],
    },
}

# More orders of execution, for programs whose threads meet.
TASK_SETS = {
    "release": {
        "quota 3": ["--quota", "3"],
        "quota 17": ["--quota", "17"],
    },
    "asan": {
        "quota 1 gc-stress": ["--quota", "1", "--gc-stress"],
    },
}

TASK_OPTIONS = ["--virtual-time"]


def option_sets(kind, build):
    """Name -> options of `nlang run`, for programs of `kind` (see generate.py)."""
    if kind != "tasks":
        return SETS[build]
    return {name: options + TASK_OPTIONS for name, options in {**SETS[build], **TASK_SETS[build]}.items()}
