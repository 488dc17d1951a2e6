/* The kernel's data on this process. Valid C11 and C++17. */
#ifndef PROCESS_H
#define PROCESS_H

#include "fail.h"

#include <dirent.h>
#include <string.h>

/* A value of a file of /proc, which has it in KiB, in bytes. */
static inline long field(const char *path, const char *name) {
  FILE *file = fopen(path, "r");
  char line[256];
  long kibibytes = -1;
  REQUIRE(file != NULL);
  while (kibibytes < 0 && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
      kibibytes = strtol(line + strlen(name) + 1, NULL, 10);
  fclose(file);
  if (kibibytes < 0) FAIL("no %s in %s", name, path);
  return kibibytes * 1024;
}

/* Mappings in whose lines this stands. */
static inline long mappings_of(const char *what) {
  FILE *file = fopen("/proc/self/maps", "r");
  char line[8192];
  long count = 0;
  REQUIRE(file != NULL);
  while (fgets(line, sizeof line, file) != NULL) count += strstr(line, what) != NULL;
  fclose(file);
  return count;
}

static inline long open_files(void) {
  DIR *folder = opendir("/proc/self/fd");
  long count = 0;
  REQUIRE(folder != NULL);
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

#endif
