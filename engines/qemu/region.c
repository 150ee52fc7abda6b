/* region.c: follows calls and returns on a shadow stack of return addresses. */
#include "region.h"

#include <stdlib.h>
#include <string.h>

bool region_parse(struct region* region, const char* text) {
  char* rest = NULL;
  region->device = strtoull(text, &rest, 10);
  if (*rest == ':') region->inode = strtoull(rest + 1, &rest, 10);
  if (*rest == ':') region->offset = strtoull(rest + 1, &rest, 10);
  return *rest == 0 && region->inode != 0;
}

void region_locate(struct region* region, const struct mapped_file* file) {
  if (region->inode == 0 || file->inode != region->inode || file->device != region->device) return;
  if (region->offset < file->offset || region->offset - file->offset >= file->end - file->start) {
    return;
  }
  region->address = file->start + (region->offset - file->offset);
}

void region_start_thread(struct thread* thread, const struct thread* creator) {
  uint64_t* returns = thread->returns;
  const struct flow_buffer flow = thread->flow;
  memset(thread, 0, sizeof *thread);
  thread->flow = flow;
  thread->returns = returns != NULL ? returns : malloc(sizeof *returns * kDepth);
  if (creator != NULL && creator->inside) {
    thread->inside = true;
    thread->inside_depth = UINT32_MAX;
  }
}

static void Call(struct thread* thread, uint64_t back) {
  if (thread->depth < kDepth) thread->returns[thread->depth] = back;
  ++thread->depth;
}

/* Pops up to the call that returns to `to`; longjmp and exceptions skip calls. A return that
 * matches no open call, as after a switch of stacks, pops nothing. */
static void Return(struct thread* thread, uint64_t to) {
  uint32_t depth = thread->depth;
  if (depth > kDepth) {
    --thread->depth;
    return;
  }
  while (depth > 0 && thread->returns[depth - 1] != to) --depth;
  if (depth > 0) thread->depth = depth - 1;
}

bool region_step(struct thread* thread, const struct block* now) {
  const struct block* before = thread->last;
  if (thread->returns == NULL) return false;
  if (before != NULL && before->end == TARE_END_CALL) Call(thread, before->following);
  if (before != NULL && before->end == TARE_END_RETURN) Return(thread, now->address);
  if (thread->inside && thread->depth < thread->inside_depth &&
      thread->inside_depth != UINT32_MAX) {
    thread->inside = false;
  }
  if (thread->inside || !now->enters_region) return false;
  thread->inside = true;
  thread->inside_depth = thread->depth;
  return true;
}
