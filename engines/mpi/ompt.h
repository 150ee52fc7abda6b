/* ompt.h: the part of the OpenMP tools interface (OpenMP 5.1, chapter 4) that is used here, so that
 * no header of an OpenMP runtime is needed. */
#pragma once

#include <stdint.h>

union ompt_data {
  uint64_t value;
  void* pointer;
};

struct ompt_start_tool_result {
  int (*initialize)(void (*(*lookup)(const char* name))(void), int device, union ompt_data* tool);
  void (*finalize)(union ompt_data* tool);
  union ompt_data tool;
};

/* Numbers of the callbacks (section 4.4.2). */
enum {
  OMPT_THREAD_END = 2,
  OMPT_PARALLEL_BEGIN = 3,
  OMPT_PARALLEL_END = 4,
  OMPT_TASK_SCHEDULE = 6,
  OMPT_IMPLICIT_TASK = 7,
  OMPT_SYNC_REGION_WAIT = 16
};

enum { OMPT_SCOPE_BEGIN = 1, OMPT_SCOPE_END = 2 };
enum { OMPT_TASK_IMPLICIT = 2 };
enum { OMPT_PARALLEL_LEAGUE = 0x40000000 };

enum {
  OMPT_SYNC_BARRIER_IMPLICIT = 2, /* deprecated in 5.1; libomp 14 uses it */
  OMPT_SYNC_BARRIER_EXPLICIT = 3,
  OMPT_SYNC_TASKWAIT = 5,
  OMPT_SYNC_TASKGROUP = 6,
  OMPT_SYNC_BARRIER_IMPLICIT_WORKSHARE = 8,
  OMPT_SYNC_BARRIER_IMPLICIT_PARALLEL = 9
};
