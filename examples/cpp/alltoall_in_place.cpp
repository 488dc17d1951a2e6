// Blocks of different lengths, exchanged in place: hcube_alltoallv with MPI_IN_PLACE.
#include <hcube.h>

#include <cstdint>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Elements between two ranks, the same in both directions, as an exchange in place requires.
int length(int one, int other) { return 1000 * (1 + (one + other) % 5); }

std::int64_t value(int from, int to, int i) { return (std::int64_t{from} << 40) + (std::int64_t{to} << 20) + i; }

void exchange(std::vector<std::int64_t> &data, const std::vector<int> &counts, const std::vector<int> &begins) {
    const int code = hcube_alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, data.data(), counts.data(),
                                     begins.data(), MPI_INT64_T, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS) throw std::runtime_error("hcube_alltoallv: MPI error " + std::to_string(code));
}

std::string last_path() {
    hcube_error error;
    char path[32];
    if (hcube_alltoall_last_path(MPI_COMM_WORLD, path, sizeof path, &error) != HCUBE_SUCCESS)
        throw std::runtime_error(error.message);
    return path;
}

int run() {
    int rank = 0, size = 0, errors = 0, all_errors = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    std::vector<int> counts(size), begins(size);
    for (int other = 0; other < size; ++other) counts[other] = length(rank, other);
    std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
    std::vector<std::int64_t> data(begins.back() + counts.back());
    for (int to = 0; to < size; ++to)
        for (int i = 0; i < counts[to]; ++i) data[begins[to] + i] = value(rank, to, i);

    exchange(data, counts, begins);

    for (int from = 0; from < size; ++from)
        for (int i = 0; i < counts[from]; ++i) errors += data[begins[from] + i] != value(from, rank, i);
    MPI_Allreduce(&errors, &all_errors, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const std::string path = last_path();
    if (rank == 0) std::cout << size << " ranks, path " << path << ", " << all_errors << " errors" << std::endl;
    return all_errors == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int status = 1;
    try {
        status = run();
    } catch (const std::exception &exception) {
        // The other ranks may be waiting for this one.
        std::cerr << exception.what() << std::endl;
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return status;
}
