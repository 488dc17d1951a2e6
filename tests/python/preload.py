"""An mpi4py program that knows nothing of hcube: all-to-all calls in place and out of place, checked.

How many there are is in tests/preload.rs as well. The arrays are Python's own: no numpy is needed.
"""

from array import array

from mpi4py import MPI

IN_PLACE_CALLS = 3
CALLS = 2
LONGEST = 3

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
others = range(size)

# The same lengths in both directions, as calls in place demand.
equal = [LONGEST] * size
counts = [1 + (rank + other) % LONGEST for other in others]
displacements = [LONGEST * other for other in others]
of_bytes = [MPI.INT.Get_size() * displacement for displacement in displacements]
types = [MPI.INT] * size


def value(source, target, element):
    return (source * 1000 + target) * 10 + element


def blocks():
    """Blocks of the largest length, partly exchanged."""
    return array("i", (value(rank, other, element) for other in others for element in range(LONGEST)))


def check(operation, received, lengths):
    """What has arrived is the others', and the rest is as it was."""
    expected = array(
        "i",
        (
            value(other, rank, element) if element < lengths[other] else value(rank, other, element)
            for other in others
            for element in range(LONGEST)
        ),
    )
    assert received == expected, f"{operation}: {received} instead of {expected}"


OPERATIONS = [
    (world.Alltoall, equal, lambda data: [data, MPI.INT]),
    (world.Alltoallv, counts, lambda data: [data, counts, displacements, MPI.INT]),
    (world.Alltoallw, counts, lambda data: [data, counts, of_bytes, types]),
]

for operation, lengths, message in OPERATIONS:
    for call in range(IN_PLACE_CALLS + CALLS):
        received = blocks()
        sent = MPI.IN_PLACE if call < IN_PLACE_CALLS else message(blocks())
        operation(sent, message(received))
        check(operation.__name__, received, lengths)

if rank == 0:
    print("ok preload mpi4py", MPI.Get_library_version().splitlines()[0])
