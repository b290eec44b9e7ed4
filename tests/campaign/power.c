/* A disk that loses what was not synced: LD_PRELOAD this before a program.

   After each fsync that succeeds the file's bytes, as they were when it began, are kept in CAMPAIGN_DISK under the
   inode's number. CAMPAIGN_DELAY_MS delays every fsync, one in CAMPAIGN_FAILS fails with EIO and keeps nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned calls;

static int kept(int fd) {
  struct stat st;
  char path[600], part[600], self[64];
  const char *disk = getenv("CAMPAIGN_DISK"), *fails = getenv("CAMPAIGN_FAILS"), *delay = getenv("CAMPAIGN_DELAY_MS");
  if (disk == NULL || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return 0;
  unsigned n = __sync_add_and_fetch(&calls, 1);
  snprintf(path, sizeof path, "%s/%lu", disk, (unsigned long)st.st_ino);
  snprintf(part, sizeof part, "%s.%u", path, n);
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  int from = open(self, O_RDONLY), to = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  static __thread char data[1 << 16];
  ssize_t got;
  while (from >= 0 && to >= 0 && (got = read(from, data, sizeof data)) > 0)
    if (write(to, data, (size_t)got) != got) break;
  if (from >= 0) close(from);
  if (to >= 0) close(to);
  if (delay != NULL) usleep((useconds_t)atoi(delay) * 1000);
  if (fails != NULL && atoi(fails) > 0 && n % (unsigned)atoi(fails) == 0) {
    unlink(part);
    errno = EIO;
    return -1;
  }
  /* A sync that began earlier and ends later must not take back what a younger one kept. */
  struct stat old;
  struct stat mine;
  if (stat(part, &mine) == 0 && stat(path, &old) == 0 && old.st_size > mine.st_size) return unlink(part);
  return rename(part, path);
}

int fsync(int fd) { return kept(fd); }
int fdatasync(int fd) { return kept(fd); }
