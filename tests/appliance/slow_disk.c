/* A disk that is waited for: preloaded, it holds every fsync as long as the file $SLOW_DISK is there, or for
 * $SLOW_DISK_S seconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_for_disk(void) {
    const char *gate = getenv("SLOW_DISK"), *seconds = getenv("SLOW_DISK_S");
    if (seconds)
        usleep((useconds_t)(atof(seconds) * 1e6));
    while (gate && access(gate, F_OK) == 0)
        usleep(2000);
}

int fsync(int file) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_for_disk();
    return real(file);
}

int fdatasync(int file) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_for_disk();
    return real(file);
}
