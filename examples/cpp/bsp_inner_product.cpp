// Inner product of two vectors that are distributed cyclically over the processes, by BSPWrapper.h: partial sums by
// Fold, and the same by Put; then the elements change their distribution by CMultiQueue and messages.
#include <BSPWrapper.h>

using namespace BSPWrapper;

namespace {

const int elements = 100000;  // of a vector, on all processes

// Element `index` of the vectors.
double first(int index) { return index % 1000; }
double second(int index) { return 1.0 + index % 3; }

// *result = *left + *right, for Fold.
void add(char *result, char *left, char *right, int *) {
    *reinterpret_cast<double *>(result) = *reinterpret_cast<double *>(left) + *reinterpret_cast<double *>(right);
}

struct Element {
    int index;
    double value;
};

}  // namespace

int main(int argc, char **argv) {
    Init(argc, argv);
    const int bytes = sizeof(double);
    int errors = 0;

    // Element i is on process i mod P, at i / P. All sums here are integers below 2^53, so they are exact.
    const int own = (elements - Pid + P - 1) / P;
    CAVector<double> x(own), y(own);
    for (int i = 0; i < own; i++) {
        x[i] = first(i * P + Pid);
        y[i] = second(i * P + Pid);
    }
    double partial = 0, product = 0, expected = 0;
    for (int i = 0; i < own; i++) partial += x[i] * y[i];
    for (int i = 0; i < elements; i++) expected += first(i) * second(i);

    Fold(&partial, &product, bytes, add);
    errors += product != expected;

    // The same by puts: every process has all partial sums after the superstep.
    CAVector<double> partials(P);
    PushReg(partials.data, P * bytes);
    Sync();
    for (int p = 0; p < P; p++) Put(p, &partial, partials.data, Pid * bytes, bytes);
    Sync();
    double sum = 0;
    for (int p = 0; p < P; p++) sum += partials[p];
    errors += sum != expected;
    PopReg(partials.data);
    Sync();

    // From the cyclic to the block distribution: a queue for each process, then one message for each queue.
    const int block = (elements + P - 1) / P;
    CMultiQueue<Element> queues(P, own / P + 1);
    for (int i = 0; i < own; i++) {
        const Element element = {i * P + Pid, x[i]};
        queues.Enqueue(element.index / block, &element, 1);
    }
    for (int p = 0; p < P; p++) {
        Element *data;
        int count;
        queues.Head(p, data, count);
        // The queues do not change before Sync: no copy is needed.
        HpSend(p, NULL, data, count * static_cast<int>(sizeof(Element)));
    }
    Sync();
    const int begin = Pid * block, end = begin + block < elements ? begin + block : elements;
    CAVector<double> in_blocks(end > begin ? end - begin : 0);
    for (int message = 0; message < P; message++) {
        void *data;
        int size;
        HpMove(data, size);
        for (int i = 0; i < size / static_cast<int>(sizeof(Element)); i++) {
            const Element &element = static_cast<const Element *>(data)[i];
            in_blocks[element.index - begin] = element.value;
        }
    }
    for (int i = begin; i < end; i++) errors += in_blocks[i - begin] != first(i);

    const double own_errors = errors;
    double all_errors;
    Fold(&own_errors, &all_errors, bytes, add);
    Print(0, "%d processes, inner product %.0f, %.0f errors\n", P, product, all_errors);
    Exit();
    return all_errors != 0;
}
