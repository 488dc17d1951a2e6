// Counts the solutions of the queens problem: each function places a queen in all free columns of a row and ships the
// positions to other images, which continue. The finish block ends when no position is left.
#include <hcube/caf.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int queens = 9;
constexpr int shipped_rows = 4;  // boards with more queens are solved where they are
constexpr std::int64_t expected = 352;

hcube_error failure;

void check(std::int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    std::fprintf(stderr, "caf_queens: %s\n", failure.message);
    std::exit(1);
}

// Columns and diagonals that are taken, as bits, in the next row.
struct Board {
    std::uint32_t row, columns, left, right;

    std::uint32_t taken() const { return columns | left | right; }
    Board with(int column) const {
        const std::uint32_t bit = 1u << column;
        return {row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1};
    }
};

// A function that can be shipped to any image, with an argument that is copied.
template <typename Argument>
class Shipped {
   public:
    explicit Shipped(hcube_caf_function function) { check(hcube_caf_register(function, &number, &failure)); }

    void to(std::int32_t image, const Argument &argument) const {
        check(hcube_caf_spawn(0, image, number, &argument, sizeof argument, nullptr, &failure));
    }

   private:
    std::int32_t number = 0;
};

const Shipped<Board> *extend;
std::int32_t images, next_image;
std::int64_t solutions, boards;

void solve(const Board &board) {
    if (board.row == queens) solutions++;
    for (int column = 0; column < queens && board.row < queens; column++) {
        if (board.taken() >> column & 1) continue;
        if (board.row >= shipped_rows) {
            solve(board.with(column));
        } else {
            next_image = (next_image + 1) % images;
            extend->to(next_image, board.with(column));
        }
    }
}

}  // namespace

extern "C" {
// The shipped function. An exception must not leave it.
static void extend_board(std::int32_t, const void *arguments, std::uint64_t) {
    Board board;
    std::memcpy(&board, arguments, sizeof board);
    boards++;
    solve(board);
}
}

int main() {
    std::int32_t me;
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    check(hcube_caf_team_size(0, &images, &failure));
    next_image = me;
    const Shipped<Board> shipped(extend_board);
    extend = &shipped;

    check(hcube_caf_finish_begin(0, &failure));
    if (me == 0) solve({0, 0, 0, 0});
    check(hcube_caf_finish_end(&failure));

    const std::int64_t own[] = {solutions, boards};
    std::int64_t all[2];
    check(hcube_caf_allreduce(0, own, all, 2, MPI_INT64_T, MPI_SUM, &failure));
    const int errors = all[0] != expected;
    if (me == 0)
        std::printf("%d images, %lld boards shipped, %lld solutions, %d errors\n", images,
                    static_cast<long long>(all[1]), static_cast<long long>(all[0]), errors);
    check(hcube_caf_finalize(&failure));
    return errors;
}
