"""Classify the files and sockets that a watched process reached, in sealed and dual runs.

Some kernel files hold data or names that a user wrote. So only a short list of `/proc` and `/sys`
is allowed: files about the machine, and about the process itself.
"""

import os
import re
from functools import cache

_CODE = frozenset(
    ".py .pyc .pyi .so .pyd .pth .js .mjs .cjs .ts .rb .pl .jar .class .lua .jl .sh .wasm".split()
)
_QUIET_PLACES = (
    *("/var/run/nscd", "/run/nscd", "/var/lib/sss/pipes", "/run/systemd/userdb"),
    *("/dev/log", "/run/systemd/journal"),
)
"""Sockets of the operating system: user names, and logs that only receive."""
TERMINALS = "/dev/pts/"
_KERNEL_FILES = frozenset(
    {
        *("/proc/", "/proc/self", "/proc/thread-self", "/proc/mounts", "/proc/net"),
        *("/proc/cgroups", "/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo"),
        *("/proc/stat", "/proc/uptime", "/proc/version", "/proc/vmstat"),
        *("/proc/sys/crypto/fips_enabled", "/proc/sys/vm/overcommit_memory"),
        *(f"/proc/sys/kernel/{name}" for name in ("cap_last_cap", "ngroups_max", "osrelease")),
        *(f"/proc/sys/kernel/{name}" for name in ("ostype", "random/boot_id", "random/uuid")),
        "/proc/sys/kernel/version",
    }
)
"""Files that are the same for all and that no process can choose. The links lead to its own."""
_KERNEL_PLACES = (
    *("/sys/devices/system/", "/sys/kernel/mm/hugepages/", "/sys/kernel/mm/transparent_hugepage/"),
)
_OF_PROCESS = re.compile(
    r"/proc/\d+(?:/task/\d+)?(?:/(?:auxv|cgroup|children|clear_refs|cmdline|comm|coredump_filter"
    r"|environ|fd|fdinfo(?:/\d+)?|gid_map|io|limits|maps|mem|mountinfo|mounts|oom_score|oom_score_adj"
    r"|pagemap|sched|schedstat|setgroups|smaps|smaps_rollup|stat|statm|status|task|uid_map))?/?"
)
"""A process's files about itself, without its network and files seen through root or folder."""
_CONTROL = "/sys/fs/cgroup"
_CONTROL_FILES = frozenset(
    {
        *("cpu.max", "cpu.weight", "cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us"),
        *("cpuset.cpus", "cpuset.mems", "cpuset.cpus.effective", "cpuset.mems.effective"),
        *("memory.max", "memory.high", "memory.low", "memory.current", "memory.stat"),
        *("memory.swap.max", "memory.swap.current", "memory.limit_in_bytes"),
        *("memory.soft_limit_in_bytes", "memory.usage_in_bytes", "memory.use_hierarchy"),
        *("memory.memsw.limit_in_bytes", "pids.max", "pids.current", "cgroup.controllers"),
    }
)


def has_code_suffix(path: str) -> bool:
    """Whether a file name has the ending of code."""
    return os.path.splitext(path)[1] in _CODE  # noqa: PTH122 - fast


def is_quiet_peer(peer: str) -> bool:
    """Whether a peer is a socket of the operating system, which carries no useful data."""
    name = peer.removeprefix("unix:")
    if name == peer or not name.startswith("/"):
        return False
    real = os.path.realpath(name)  # the name may be a link elsewhere
    return any(is_below(real, place) for place in _QUIET_PLACES)


def is_kernel_file(path: str) -> bool:
    """Whether a kernel file or folder only describes the machine or the process.

    A folder ends with a slash. Whose process a file belongs to is not checked here: the warden
    reports every process outside the run.
    """
    if path in _KERNEL_FILES or path.startswith(_KERNEL_PLACES):
        return True
    folder, _, name = path.rpartition("/")
    if name in _CONTROL_FILES and folder in _control_groups():
        return True
    return is_process_file(path)


def is_kernel_path(path: str) -> bool:
    """Whether a path is in `/proc`, `/sys` or the like, or a terminal of other processes."""
    return path.startswith(("/proc/", "/sys/", TERMINALS))


def is_process_file(path: str) -> bool:
    """Whether a file is a process's own in `/proc`: anything written there ends with it."""
    return _OF_PROCESS.fullmatch(path) is not None


@cache
def _control_groups() -> frozenset[str]:
    """The control group folders of this process and so of its jobs."""
    found = {_CONTROL}
    try:
        with open("/proc/self/cgroup", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            lines = file.read().splitlines()
    except OSError:
        return frozenset(found)
    for line in lines:
        _, controllers, place = line.split(":", 2)
        for root in {"", controllers, *controllers.split(",")}:
            folder = os.path.join(_CONTROL, root, place.strip("/")).rstrip("/")  # noqa: PTH118
            while folder not in found:
                found.add(folder)
                folder = os.path.dirname(folder)  # noqa: PTH120
    return frozenset(found)


def is_below(path: str, place: str) -> bool:
    """Whether a path is this folder or inside it."""
    return path == place or path.startswith(f"{place}/")
