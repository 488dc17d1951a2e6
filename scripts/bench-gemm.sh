# The part `gemm` of scripts/bench.sh, which includes this file: distributed matrix
# multiplication by hcube and by ScaLAPACK.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of scripts/bench.sh

# products <seconds> <name> <grid> <title> [option...]: a step on a grid such as 2x4.
products() {
    local grid=$3
    measured "$1" "gemm-$grid-$2" $((${grid%x*} * ${grid#*x})) "$4, grid $grid" gemm --grid "$grid" "${@:5}"
}

bench_gemm() {
    local reason status=0
    local grid grids=(1x2 2x2) orders=512,1024,2048 order=1024 repeat=5 square=8 sweep=4
    # Exit status 2: something is missing. With another one the steps print the error.
    reason=$("$tool" bench gemm --sizes 16 --repeat 1 --no-progress 2>&1 >/dev/null) || status=$?
    if [ "$status" -eq 2 ]; then
        echo "=== Matrix multiplication: skipped: ${reason#hcube: }"
        return
    fi
    if [ -n "$full" ]; then
        grids=(1x1 1x2 2x2 2x3 2x4 3x3) orders=512,1024,2048,4096 order=512,1024,2048,4096 repeat=9
        square=100 sweep=200
    fi
    for grid in "${grids[@]}"; do
        products $square a-square "$grid" "Matrix multiplication" --sizes "$orders" --repeat "$repeat"
        products $sweep b-transposed "$grid" "Matrix multiplication, transposed operands" \
            --op TN,NT,TT --sizes "$order" --repeat "$repeat"
        products $sweep c-blocks "$grid" "Matrix multiplication, other block sizes" \
            --block 32,256,32:48:80 --sizes "$order" --repeat "$repeat"
        products 10 d-inner "$grid" "Matrix multiplication, large inner size" \
            --sizes 256x256x100000 --op NN,TN --repeat "$repeat"
        products 5 e-update "$grid" "Matrix multiplication, update of rank 64" \
            --sizes 4096x4096x64 --update --repeat "$repeat"
        products 1 f-small "$grid" "Matrix multiplication, small" --sizes 64,128,256 --repeat 21
        products 8 g-lu "$grid" "LU factorisation by ScaLAPACK" --routines getrf --sizes 1000,2000 --repeat "$repeat"
    done
    if [ -n "$full" ]; then
        products 20 h-types 2x2 "Matrix multiplication of other types" --types s,c,z --sizes 1024 --repeat "$repeat"
    fi
    with_mpich 8 gemm-mpich "Matrix multiplication" gemm --sizes "$orders" --repeat 5
    step 1 "Results of matrix multiplication" write_joined gemm
}
