/* What `hcube bench gemm` puts in front of ScaLAPACK's functions. The program exports these functions, so that the
 * loader binds ScaLAPACK's own calls to them when ScaLAPACK is loaded: p?gemm_ forward to the function that is
 * measured, also in calls of p?getrf_, and pilaenv_ returns the width of the panels that ScaLAPACK multiplies at a
 * time.
 *
 * ScaLAPACK's p?gemm_ calls pilaenv_ in every product, and hcube's does not: calls of pilaenv_ inside a product show
 * that ScaLAPACK has computed it, and whether it got its own width.
 */
#include <stdio.h>
#include <stdlib.h>

typedef void product(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                     const void *alpha, const void *a, const int *ia, const int *ja, const int *desca, const void *b,
                     const int *ib, const int *jb, const int *descb, const void *beta, void *c, const int *ic,
                     const int *jc, const int *descc);
typedef int panel_width(const int *context, const char *type, long length);

enum { ELEMENTS = 4 };

static product *selected[ELEMENTS];
static panel_width *original;
static int width;
static int inside;
static long products, own_panels, other_panels;

/* The functions that compute products from now on, for s, d, c, z; ScaLAPACK's own function for the width of panels,
 * and a width that replaces its result, or 0. */
void hcube_bench_gemm_select(product *const functions[], panel_width *own_width, int other_width)
{
    int number;

    for (number = 0; number < ELEMENTS; number++) selected[number] = functions[number];
    original = own_width;
    width = other_width;
}

/* Products so far, and requests inside them for the width of panels: those that got ScaLAPACK's, and those that got
 * another. */
void hcube_bench_gemm_count(long counts[3])
{
    counts[0] = products;
    counts[1] = own_panels;
    counts[2] = other_panels;
}

int pilaenv_(const int *context, const char *type, long length)
{
    if (inside && width > 0) other_panels++;
    else if (inside) own_panels++;
    if (width > 0) return width;
    return original != NULL ? original(context, type, length) : 32;
}

static product *function(int element)
{
    if (selected[element] == NULL) {
        fputs("hcube: a distributed product outside of `hcube bench gemm`\n", stderr);
        abort();
    }
    return selected[element];
}

#define PRODUCT(name, element)                                                                                         \
    void name(const char *transa, const char *transb, const int *m, const int *n, const int *k, const void *alpha,     \
              const void *a, const int *ia, const int *ja, const int *desca, const void *b, const int *ib,             \
              const int *jb, const int *descb, const void *beta, void *c, const int *ic, const int *jc,                \
              const int *descc)                                                                                        \
    {                                                                                                                  \
        products++;                                                                                                    \
        inside = 1;                                                                                                    \
        function(element)(transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, descc); \
        inside = 0;                                                                                                    \
    }

PRODUCT(psgemm_, 0)
PRODUCT(pdgemm_, 1)
PRODUCT(pcgemm_, 2)
PRODUCT(pzgemm_, 3)

/* The functions above, for calls by the benchmark itself. */
product *const hcube_bench_gemm_products[ELEMENTS] = {psgemm_, pdgemm_, pcgemm_, pzgemm_};
