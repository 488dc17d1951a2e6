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
    char text[4096];
    vsnprintf(text, sizeof text, format, arguments);
    fflush(stdout);
    fputs(text, stderr);
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
