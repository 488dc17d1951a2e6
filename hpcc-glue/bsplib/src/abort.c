/* bsp_abort and its forms, which take variable arguments. */
#include <mpi.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* process::leave: what ends the process is reported here. */
void hcube_bsp_leave(void);

/* Prints a text, in one piece, and ends the job. */
void hcube_bsp_abort_list(const char *format, va_list arguments)
{
    char some[1024], *text = some;
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(some, sizeof some, format, arguments);
    if (length >= (int)sizeof some && (text = malloc((size_t)length + 1)) != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    fflush(stdout);
    fputs(text != NULL ? text : some, stderr);
    fflush(stderr);
    hcube_bsp_leave();
    int initialised = 0, finalised = 0;
    PMPI_Initialized(&initialised);
    PMPI_Finalized(&finalised);
    if (initialised && !finalised) PMPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void hcube_bsp_abort(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hcube_bsp_abort_list(format, arguments);
    va_end(arguments);
}
