/* What the tests of the driver ask of it, and how they run. */
#ifndef DRIVER_CALLS_H
#define DRIVER_CALLS_H

#include "tests.h"
#include "tracer_ioctl.h"

#define WINDOWS_7 0x601u
#define WINDOWS_8_1 0x603u
#define WINDOWS_10 0xA00u
#define HOUR (UINT64_C(3600) * SECOND)

/* Four processors, a tick of 1 ms, Windows 10. */
extern const struct setup usual;

extern const GUID display_state;
#define DISPLAY_OFF 0
#define DISPLAY_ON 1

/* For the threads of programs that a test makes: time to end. */
extern bool is_over;

/* A scenario with the seeds 1, 2, ..., each with another owner of the clock. */
void run_seeds(unsigned seeds, unsigned preempt_every, void (*scenario)(void));

/* SEEDS=1000 in the environment: for who has time. */
unsigned more_seeds(unsigned usual_seeds);

/* Requests of a program that has the device open. All but start and stop have to succeed. */
NTSTATUS start_mode(PFILE_OBJECT file, enum tracer_mode mode, uint16_t flags, uint64_t period_ns, uint8_t priority_count);
NTSTATUS start_with(PFILE_OBJECT file, uint16_t flags, uint64_t period_ns, uint8_t priority_count);
NTSTATUS start(PFILE_OBJECT file, uint16_t flags);
NTSTATUS ask(PFILE_OBJECT file, uint32_t code, struct tracer_status *status);
NTSTATUS stop(PFILE_OBJECT file);
struct tracer_status status_of(PFILE_OBJECT file);
struct tracer_histogram histogram_of(PFILE_OBJECT file, enum tracer_phase phase, uint16_t cpu);

/* The driver is loaded, and its device opened; and the other way round, behind which nothing may be left. */
PFILE_OBJECT load_and_open(void);
void close_and_unload(PFILE_OBJECT file);

/* The tests of each file. */
void life_tests(void);
void read_tests(void);
void power_tests(void);
void machine_tests(void);
void chaos_tests(void);

/* No threads meet in it but those that meet in others, too: not under the thread sanitizer, for its time. */
void run_for_addresses(const char *name, void (*test)(void));

#endif
