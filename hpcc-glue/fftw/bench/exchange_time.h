/* Time that a process spends in the calls by which transpositions move data between ranks. */
#ifndef EXCHANGE_TIME_H
#define EXCHANGE_TIME_H

/* Seconds since the last call of this function. */
double exchange_time(void);

#endif
