/* calls_end.h: how wrappers end, the same for C and Fortran. */
#pragma once

#define LEAVE tare_leave(on);

/* The event's end is known already. */
#define END_RETURNED                  \
  if (on) {                           \
    if (result != MPI_SUCCESS) {      \
      event.error = (uint32_t)result; \
      event.fields |= TARE_MPI_ERROR; \
    }                                 \
    tare_write_event(&event);         \
  }                                   \
  LEAVE

#define END                \
  if (on) {                \
    tare_returned(&event); \
  }                        \
  END_RETURNED

#define END_POLL_RETURNED(succeeded)                 \
  if (on && result == MPI_SUCCESS && !(succeeded)) { \
    tare_write_poll(&event);                         \
    LEAVE                                            \
  } else {                                           \
    END_RETURNED                                     \
  }

#define END_POLL(succeeded) \
  if (on) {                 \
    tare_returned(&event);  \
  }                         \
  END_POLL_RETURNED(succeeded)

/* Before MPI_Finalize and MPI_Abort: a launcher kills ranks that are still in MPI_Finalize once
   another one has exited with an error, so that nothing can be stored afterwards for certain. */
#define SEAL(state)            \
  if (on) {                    \
    tare_returned(&event);     \
    tare_write_event(&event);  \
    tare_recorder_seal(state); \
  }
