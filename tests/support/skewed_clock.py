"""Clocks of single processes that are wrong, and jump: made by a library that is loaded first."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

_FILE = "KMIRROR_SKEW_FILE"
# What waits by the monotonic clock is not touched; what waits until a moment of the wall clock
# waits as long as it means to.
_SOURCE = f"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static volatile long *skew;

__attribute__((constructor)) static void begin(void) {{
  const char *name = getenv("{_FILE}");
  int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {{
    void *found = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    skew = found == MAP_FAILED ? NULL : found;
    close(file);
  }}
}}

int clock_gettime(clockid_t id, struct timespec *at) {{
  int failed = syscall(SYS_clock_gettime, id, at);
  if (!failed && skew != NULL && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {{
    at->tv_sec += *skew;
  }}
  return failed;
}}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {{
  struct timespec now;
  int failed = clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return failed;
}}

time_t time(time_t *at) {{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at != NULL) {{
    *at = now.tv_sec;
  }}
  return now.tv_sec;
}}

static struct timespec real(const struct timespec *until) {{
  struct timespec moved = *until;
  // Of the wall clock: no machine has run for thirty years.
  if (skew != NULL && moved.tv_sec > 1000000000) {{
    moved.tv_sec -= *skew;
  }}
  return moved;
}}

int pthread_cond_timedwait(
    pthread_cond_t *restrict cond, pthread_mutex_t *restrict lock,
    const struct timespec *restrict until) {{
  int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  next = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  struct timespec moved = real(until);
  return next(cond, lock, &moved);
}}

int cnd_timedwait(
    cnd_t *restrict cond, mtx_t *restrict lock, const struct timespec *restrict until) {{
  int (*next)(cnd_t *, mtx_t *, const struct timespec *) = dlsym(RTLD_NEXT, "cnd_timedwait");
  struct timespec moved = real(until);
  return next(cond, lock, &moved);
}}
"""

needs_a_compiler = pytest.mark.skipif(
    shutil.which("cc") is None, reason="a wrong clock needs a C compiler, and there is no `cc`"
)


class SkewedClock:
    """
    The wall clock of the processes that are started with `environ`.

    Args:
        folder: For the library, and for the skew that the processes look at.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / "skew"
        self._library = folder / "skew.so"
        source = folder / "skew.c"
        source.write_text(_SOURCE)
        command = ["cc", "-shared", "-fPIC", "-O1", "-o", self._library, source, "-ldl"]
        subprocess.run(command, check=True, timeout=60)
        self._file.write_bytes(struct.pack("=q", 0))

    @property
    def environ(self) -> Mapping[str, str]:
        """What a process needs in its environment."""
        return {"LD_PRELOAD": str(self._library), _FILE: str(self._file)}

    def set(self, skew_s: int) -> None:
        """Have the clock be so many seconds fast, at once; less than 0 is slow."""
        with self._file.open("r+b") as file:
            os.pwrite(file.fileno(), struct.pack("=q", skew_s), 0)
