/* A second file of wrapper.cpp, with the same variables. */
#include <BSPWrapper.h>

int processes();
int *own_number();

int processes() {
  return BSPWrapper::P;
}
int *own_number() {
  return &BSPWrapper::Pid;
}
