/* Makes fsync and fdatasync fail, as a broken disk does, while the file FAIL_SYNC_WHILE is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int failing(void) {
  const char *file = getenv("FAIL_SYNC_WHILE");
  return file != NULL && access(file, F_OK) == 0;
}

static int forward(const char *name, int fd) {
  if (failing()) {
    errno = EIO;
    return -1;
  }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(fd);
}

int fsync(int fd) { return forward("fsync", fd); }

int fdatasync(int fd) { return forward("fdatasync", fd); }
