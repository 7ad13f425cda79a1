/*
 * A small test harness that needs no library: hosted builds print with write(2), 32-bit ones come with their own start and system call
 * (bare_linux.c), so that the core's 32-bit build runs where no 32-bit C library is installed.
 */
#ifndef CHECKS_H
#define CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs a test and prints its TAP line; the suite's name and the build's stand in front. */
void run_test(const char *name, void (*test)(void));

/* Each fails the running test, says where, and lets it go on. */
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(expected, actual) check_equal((uint64_t)(expected), (uint64_t)(actual), #actual, __FILE__, __LINE__)
void check(bool holds, const char *what, const char *file, int line);
void check_equal(uint64_t expected, uint64_t actual, const char *what, const char *file, int line);

/* Numbers that look random and are the same each time. */
uint64_t next_random(uint64_t *state);

/* Folds a value into a sum that tells one series of results from another. */
uint64_t fold(uint64_t sum, uint64_t value);

/* Writes text to standard output. */
void print(const char *text);

/* 0 if every test passed, for main to return. */
int failures(void);

/* The tests of each file. */
void clock_tests(void);
void histogram_tests(void);
void ring_tests(void);
void pit_tests(void);
void apic_tests(void);
void gate_tests(void);
void nmi_tests(void);
void episode_tests(void);
void probe_tests(void);
void walk_tests(void);
void stub_tests(void);
void queue_tests(void);
void device_tests(void);
void event_tests(void);
void lab_tests(void);
void grid_tests(void);
void timer_tests(void);

#endif
