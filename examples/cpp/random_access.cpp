// RandomAccess on a table of 2^18 words, with HPCC's second stream.
#include <hcube.h>

#include <cstdint>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::int64_t words_of_all = std::int64_t{1} << 18;

// Converts an error to an exception with hcube's message, which names argument and value.
struct Checked {
    hcube_error error;
    void operator()(std::int32_t code) const {
        if (code != HCUBE_SUCCESS) throw std::runtime_error(error.message);
    }
};

int run() {
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    // Contiguous blocks in rank order; the first ranks have one more word if the division leaves a remainder.
    const std::int64_t least = words_of_all / size, longer = words_of_all % size;
    const std::int64_t length = least + (rank < longer ? 1 : 0);
    const std::int64_t first = rank * least + (rank < longer ? rank : longer);
    std::vector<std::uint64_t> words(length);
    std::iota(words.begin(), words.end(), static_cast<std::uint64_t>(first));
    const hcube_table table{words.data(), length, words_of_all, first};
    const hcube_updates updates{HCUBE_STREAM_LCG, 4 * first, 4 * length};

    Checked check;
    std::int64_t errors = -1;
    hcube_random_access_statistics statistics;
    statistics.struct_size = sizeof statistics;
    // Optional: performs the set-up of the first run before a timed region.
    check(hcube_random_access_prepare(MPI_COMM_WORLD, nullptr, &check.error));
    check(hcube_random_access_run(MPI_COMM_WORLD, &table, &updates, nullptr, &check.error));
    check(hcube_random_access_last_statistics(MPI_COMM_WORLD, &statistics, &check.error));
    check(hcube_random_access_verify(MPI_COMM_WORLD, &table, &updates, &errors, &check.error));

    std::uint64_t made = 0;
    MPI_Reduce(&statistics.applied, &made, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) std::cout << size << " ranks, " << made << " updates, " << errors << " errors" << std::endl;
    return errors == 0 ? 0 : 1;
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
