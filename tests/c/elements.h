/* Numbers in the memory of matrices. Valid C11 and C++17. */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include <stddef.h>
#include <string.h>

/* Types of elements, in the order of HCUBE_ELEMENT_*. */
enum { SINGLE, DOUBLE, COMPLEX, DOUBLE_COMPLEX, KINDS };

static inline int parts_of(int kind) {
  return kind >= COMPLEX ? 2 : 1;
}

static inline int is_single(int kind) {
  return kind == SINGLE || kind == COMPLEX;
}

static inline size_t size_of(int kind) {
  return (size_t)parts_of(kind) * (is_single(kind) ? sizeof(float) : sizeof(double));
}

static inline void store(int kind, void *to, const double value[2]) {
  for (int part = 0; part < parts_of(kind); part++) {
    if (is_single(kind)) {
      float narrow = (float)value[part];
      memcpy((float *)to + part, &narrow, sizeof narrow);
    } else {
      memcpy((double *)to + part, &value[part], sizeof value[part]);
    }
  }
}

static inline void load(int kind, const void *from, double value[2]) {
  value[1] = 0;
  for (int part = 0; part < parts_of(kind); part++) {
    if (is_single(kind)) {
      float narrow;
      memcpy(&narrow, (const float *)from + part, sizeof narrow);
      value[part] = narrow;
    } else {
      memcpy(&value[part], (const double *)from + part, sizeof value[part]);
    }
  }
}

#endif
