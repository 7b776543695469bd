/* Numbers as people read them. Each writes into out and returns it. */
#ifndef TUI_FMT_H
#define TUI_FMT_H

#include <stdint.h>

#define FMT_MAX 48

/* 3420118221 -> "3 420 118 221" */
const char *fmt_count(uint64_t n, char out[FMT_MAX]);
/* Guest time with the digits that matter: "4.392 s", "81.2 ms", "950 us", "1:02.500". */
const char *fmt_time(uint64_t ns, char out[FMT_MAX]);
/* Seconds with three places, for columns: "4.392". */
const char *fmt_seconds(uint64_t ns, char out[FMT_MAX]);
/* "24.5 K", "1.2 M" bytes */
const char *fmt_size(uint64_t bytes, char out[FMT_MAX]);
/* 31000000 instructions -> "31.0 M" */
const char *fmt_short(uint64_t n, char out[FMT_MAX]);
/* Host seconds gone by: "12 s", "3 min", "5 h", "2 d" */
const char *fmt_age(int64_t seconds, char out[FMT_MAX]);

#endif
