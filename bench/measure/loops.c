/*
 * Loops in C that measure the same as tracer measure, without a runtime:
 *
 *   loops clock SECONDS   what reading CLOCK_MONOTONIC takes, in nanoseconds, SCHED_FIFO 50 on CPU 1
 *   loops switch SECONDS  half a round trip of two threads that wake each other by eventfds, SCHED_FIFO 50 on CPU 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static int there;
static int back;
static volatile int over;

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void set(int event)
{
	uint64_t one = 1;

	if (write(event, &one, sizeof(one)) != sizeof(one))
		exit(1);
}

static void wait_for(int event)
{
	uint64_t value;

	if (read(event, &value, sizeof(value)) != sizeof(value))
		exit(1);
}

static void settle(void)
{
	struct sched_param parameters = { .sched_priority = 50 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || sched_setscheduler(0, SCHED_FIFO, &parameters)) {
		fputs("loops: CPU 1 and SCHED_FIFO are needed\n", stderr);
		exit(1);
	}
}

static void *second(void *unused)
{
	(void)unused;
	settle();
	for (wait_for(there); !over; wait_for(there))
		set(back);
	return NULL;
}

int main(int count, char **words)
{
	int64_t begun, end, trips = 0;
	pthread_t thread;

	if (count != 3)
		return 64;
	settle();
	end = (begun = now()) + atoi(words[2]) * 1000000000LL;
	if (!strcmp(words[1], "clock")) {
		while (now() < end)
			trips++;
		printf("%.1f\n", (double)(now() - begun) / (double)trips);
		return 0;
	}

	there = eventfd(0, 0);
	back = eventfd(0, 0);
	pthread_create(&thread, NULL, second, NULL);
	while (now() < end) {
		set(there);
		wait_for(back);
		trips++;
	}
	printf("%.1f\n", (double)(now() - begun) / (double)trips / 2);
	over = 1;
	set(there);
	pthread_join(thread, NULL);
	return 0;
}
