"""mpi4py-fft: three-dimensional complex transforms and back, of an array that is distributed over all ranks.

    mpirun -np 2 python3 transforms.py [points in each dimension] [repetitions]

Transpositions are calls of MPI_Alltoallw. Prints the seconds of all repetitions, and a checksum of the bytes of the
spectrum and of the result.
"""
import hashlib
import sys

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

comm = MPI.COMM_WORLD
points = int(sys.argv[1]) if len(sys.argv) > 1 else 128
repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 20
# Plans that FFTW measures differ from run to run, and with them the last digits of results.
transform = PFFT(comm, [points] * 3, dtype=complex, planner_effort="FFTW_ESTIMATE")
data = newDistArray(transform, False)
# The same values on any number of ranks.
place = numpy.ravel_multi_index(numpy.ix_(*(range(*part.indices(points)) for part in data.local_slice())), [points] * 3)
data[:] = numpy.sin(place) + 1j * numpy.cos(3 * place)
spectrum = transform.forward(data)
result = transform.backward(spectrum)
comm.Barrier()
begin = MPI.Wtime()
for _ in range(repetitions):
    spectrum = transform.forward(result, spectrum)
    result = transform.backward(spectrum, result)
seconds = comm.allreduce(MPI.Wtime() - begin, MPI.MAX)
parts = comm.gather(hashlib.sha256(spectrum.tobytes() + result.tobytes()).hexdigest())
if comm.rank == 0:
    print(f"seconds {seconds:.6f}")
    print(f"checksum {hashlib.sha256(' '.join(parts).encode()).hexdigest()}")
