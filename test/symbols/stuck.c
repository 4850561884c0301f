/* A library whose loading never ends. */
#include <semaphore.h>
#include <unistd.h>

extern sem_t libraryIsLoading;

__attribute__((constructor)) static void stay(void) {
  sem_post(&libraryIsLoading);
  for (;;)
    pause();
}
