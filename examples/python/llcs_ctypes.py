"""The length of a longest common subsequence of two strings, whose parts lie on the ranks, by hcube_llcs:

    export LD_LIBRARY_PATH=/opt/hcube/lib/hcube/openmpi      # built for the MPI library that mpi4py uses
    mpirun -np 4 python3 llcs_ctypes.py [FILE FILE]

It compares the bytes of two files; without them, strings whose result is known.
"""

import ctypes
import sys

from mpi4py import MPI

LENGTH = 20000  # symbols of each generated string

world = MPI.COMM_WORLD

# The handle of a communicator in C: an integer with MPICH, an address with Open MPI.
Handle = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p


class Error(ctypes.Structure):
    """hcube_error."""

    _fields_ = [("code", ctypes.c_int32), ("message", ctypes.c_char * 508)]


Progress = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)

hcube_llcs = ctypes.CDLL("libhcube.so.0").hcube_llcs
hcube_llcs.restype = ctypes.c_int32
hcube_llcs.argtypes = [
    ctypes.c_char_p,  # a, and its number of symbols
    ctypes.c_int64,
    ctypes.c_char_p,  # b
    ctypes.c_int64,
    ctypes.c_int32,  # bytes of a symbol
    ctypes.c_int64,  # lengths below this are of no interest
    Progress,
    ctypes.c_void_p,
    Handle,
    ctypes.POINTER(ctypes.c_int64),
    ctypes.POINTER(Error),
]


def llcs(a, b, comm, progress=None, at_least=0):
    """The length for two strings, of which each rank passes its parts. None if it is below at_least, or if the progress
    function of a rank has returned True, which ends the computation on all ranks."""

    def told(done, total, _):
        return int(bool(progress and progress(done, total)))

    handle = Handle.from_address(MPI._addressof(comm))
    length, error = ctypes.c_int64(), Error()
    if hcube_llcs(a, len(a), b, len(b), 1, at_least, Progress(told), None, handle, length, error):
        raise RuntimeError(error.message.decode())
    return length.value if length.value >= 0 else None


def bounds(length):
    """Where the part of this rank begins and ends."""
    return length * world.rank // world.size, length * (world.rank + 1) // world.size


def read(name):
    """The length of a file, and this rank's part of it."""
    with open(name, "rb") as file:
        length = file.seek(0, 2)
        begin, end = bounds(length)
        file.seek(begin)
        return length, file.read(end - begin)


def generate(is_second):
    """In the second string each tenth symbol is an x, so that nine tenths are common."""

    def symbol(i):
        return ord("x") if is_second and i % 10 == 0 else b"acgt"[i * 2654435761 >> 16 & 3]

    return LENGTH, bytes(symbol(i) for i in range(*bounds(LENGTH)))


class Show:
    """Shows how far rank 0 is, and never ends the computation."""

    tenths = 0

    def __call__(self, done, total):
        if world.rank == 0 and 10 * done // total > self.tenths:
            self.tenths = 10 * done // total
            print(f"{10 * self.tenths} %", file=sys.stderr)
        return False


names = sys.argv[1:]
if len(names) not in (0, 2):
    raise SystemExit("usage: llcs_ctypes.py [FILE FILE]")
(a_length, a), (b_length, b) = map(read, names) if names else (generate(False), generate(True))
length = llcs(a, b, world, Show())
longer = max(a_length, b_length)
similarity = length / longer if longer else 1.0
errors = int(not names and length != LENGTH - LENGTH // 10)
if world.rank == 0:
    checked = "" if names else f", {errors} errors"
    print(
        f"{world.size} ranks, {a_length} and {b_length} symbols, length {length}, similarity {similarity:.4f}{checked}"
    )
raise SystemExit(errors)
