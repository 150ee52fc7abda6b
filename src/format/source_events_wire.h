/* source_events_wire.h: how events of tare/events.h travel from a program to tare.
 *
 * Plain C, included by tare. engines/api/tare/events.h repeats these numbers, because a program
 * includes that file alone; a test compares the two. docs/formats/event-trace.md documents the
 * format. */
#pragma once

#include <stdint.h>

/* The directory of a recording; unset: nothing is recorded. */
#define TARE_SOURCE_VARIABLE "TARE_EVENTS_DIRECTORY"
/* "1" monotonic, "2" coarse, otherwise the processor's counter. */
#define TARE_SOURCE_CLOCK_VARIABLE "TARE_EVENTS_CLOCK"
#define TARE_SOURCE_SYMBOL "tare_events_state"

#define TARE_SOURCE_MAGIC UINT64_C(0x31746e7665657274) /* the bytes "treevnt1" */
#define TARE_SOURCE_VERSION 1u
/* A thread's file: header, then words, as a ring of two halves. */
#define TARE_SOURCE_HEADER_BYTES 4096u
#define TARE_SOURCE_WORDS 32768u /* of both halves */

/* A word: kind in bits 61 to 63, site in bits 41 to 60, time in bits 0 to 40. Never 0. The value
 * of TARE_SOURCE_VALUE is the next word, which is stored first. */
enum tare_source_kind {
  TARE_SOURCE_EVENT = 1, /* without a time */
  TARE_SOURCE_BEGIN = 2,
  TARE_SOURCE_END = 3,
  TARE_SOURCE_VALUE = 4,
  TARE_SOURCE_TIMED = 5, /* an event with a time */
  TARE_SOURCE_SKIP = 6   /* nothing until the end of the half */
};
#define TARE_SOURCE_SITE_BITS 20
#define TARE_SOURCE_TIME_BITS 41

/* The file "sites.IMAGE" (hexadecimal) has a record per site, ended by a zero byte: number, kind
 * (e, s or v), line, file and name, separated by tabs. A forked child knows its parent's sites. */
struct tare_source_header {
  uint64_t magic; /* stored last */
  uint32_t version;
  uint32_t clock; /* 0 processor's counter, 1 monotonic, 2 coarse */
  uint64_t process;
  uint64_t thread;
  uint64_t image;       /* identifies the program between execve and fork */
  uint64_t parent;      /* the image that this one was forked from; 0: none */
  uint64_t start_clock; /* the clock and CLOCK_MONOTONIC at the same moment */
  uint64_t start_ns;
  uint64_t lost;    /* events after the reader was gone */
  uint32_t written; /* halves filled by the program */
  uint32_t taken;   /* halves that the reader has cleared */
  uint32_t reader;  /* PID of tare; 0: gone */
  uint32_t ended;   /* 1: the thread ended */
  uint32_t alive;   /* counts up while tare reads; its PID means nothing in another namespace */
  uint32_t unused;
};
