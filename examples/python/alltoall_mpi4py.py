"""Exchanges in place with mpi4py. The program knows nothing of hcube:

    mpirun -np 4 hcube-run --stats python3 alltoall_mpi4py.py
"""

from array import array

from mpi4py import MPI

BLOCK = 5000  # elements for each rank
EXCHANGES = 5  # an odd number: two exchanges restore the data

world = MPI.COMM_WORLD


def block(source, target):
    """What a rank has for another."""
    return [1e6 * source + 1e3 * target + i for i in range(BLOCK)]


data = array("d", (element for target in range(world.size) for element in block(world.rank, target)))
expected = array("d", (element for source in range(world.size) for element in block(source, world.rank)))

for _ in range(EXCHANGES):
    world.Alltoall(MPI.IN_PLACE, [data, BLOCK, MPI.DOUBLE])

errors = world.allreduce(sum(found != right for found, right in zip(data, expected)))
if world.rank == 0:
    print(f"{world.size} ranks, {errors} errors")
raise SystemExit(errors != 0)
