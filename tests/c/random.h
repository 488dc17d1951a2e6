/* Random numbers that are the same wherever they are drawn. Valid C11 and C++17. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

/* Finaliser of SplitMix64: neighbouring arguments give unrelated results. */
static inline uint64_t mix(uint64_t value) {
  value += UINT64_C(0x9E3779B97F4A7C15);
  value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
  return value ^ value >> 31;
}

static inline uint64_t mix3(uint64_t first, uint64_t second, uint64_t third) {
  return mix(mix(mix(first) ^ second) ^ third);
}

typedef struct dice {
  uint64_t state;
} dice;

static inline dice make_dice(uint64_t seed, uint64_t number, uint64_t rank) {
  dice made;
  made.state = mix3(seed, number, rank);
  return made;
}

/* One of 0 to sides - 1. */
static inline int64_t roll(dice *from, int64_t sides) {
  from->state++;
  return (int64_t)(mix(from->state) % (uint64_t)sides);
}

/* A number without a pattern, from -0.5 to 0.5, for each place of a vector. */
static inline double fraction_at(int64_t place) {
  return (double)(mix((uint64_t)place) >> 11) / 9007199254740992.0 - 0.5;
}

#endif
