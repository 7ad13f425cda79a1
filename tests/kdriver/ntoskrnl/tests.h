#ifndef TESTS_H
#define TESTS_H

#include "user.h"

void run_test(const char *name, void (*test)(void));

/* A test that must be ended, by the fake kernel or a sanitizer, with these words: what is found is what it is for. */
void run_bad(const char *name, void (*test)(void), const char *said);

#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
void check(bool holds, const char *what, const char *file, int line);

void bad_tests(void);
void driver_tests(void);

#endif
