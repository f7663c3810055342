/* A wall clock that is wrong by the seconds in the file CLOCK_OFFSET_FILE (a long in memory's order of bytes), now. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long *offset;

__attribute__((constructor)) static void map(void) {
  const char *file = getenv("CLOCK_OFFSET_FILE");
  int fd = file == NULL ? -1 : open(file, O_RDONLY);
  if (fd >= 0) {
    void *page = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    offset = page == MAP_FAILED ? NULL : page;
  }
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) {
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  }
  int result = real(clock, time);
  if (result == 0 && clock == CLOCK_REALTIME && offset != NULL) {
    time->tv_sec += *offset;
  }
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
    return -1;
  }
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}
