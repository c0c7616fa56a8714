"""How random programs are run: the one list of option sets. Whatever the options, a program must print the same.

`SETS` is by kind of build, since a collection at every allocation says most with the address sanitizer, which makes it
slow, while preemptions are cheap. `TASK_SETS` is added for programs with many threads, whose waits take virtual time.
SEED stands for the number of the program, so that each meets another order.
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
    "tsan": {
        "plain": [],
    },
}

TASK_SETS = {
    "release": {
        "one carrier, quota 17": ["--carriers", "1", "--quota", "17"],
        "schedule seed": ["--schedule-seed", "SEED"],
        "4 carriers, quota 3, carrier-stress": ["--carriers", "4", "--quota", "3", "--carrier-stress"],
    },
    "asan": {
        "schedule seed, gc-stress": ["--schedule-seed", "SEED", "--gc-stress"],
        "3 carriers, quota 1, gc-stress": ["--carriers", "3", "--quota", "1", "--gc-stress"],
    },
    "tsan": {
        "4 carriers, quota 3, carrier-stress": ["--carriers", "4", "--quota", "3", "--carrier-stress"],
    },
}

TASK_OPTIONS = ["--virtual-time"]


def option_sets(kind, build, seed):
    """Name -> options of `nlang run`, for program `seed` of `kind` (see generate.py)."""
    sets = SETS[build]
    if kind == "tasks":
        sets = {name: options + TASK_OPTIONS for name, options in {**sets, **TASK_SETS[build]}.items()}
    return {name: [str(seed) if option == "SEED" else option for option in options] for name, options in sets.items()}
