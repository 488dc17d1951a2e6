/* Makes FFTW look like another version: a library that is found before FFTW's own. */
extern const char fftw_version[];
const char fftw_version[] = "fftw-3.3.8-sse2-avx";
