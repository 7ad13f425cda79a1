/*
 * Loops in C that measure the same as tracer measure, without a runtime:
 *
 *   loops clock SECONDS   what reading CLOCK_MONOTONIC takes, in nanoseconds, SCHED_FIFO 50 on CPU 1
 *   loops switch SECONDS  half a round trip of two threads that wake each other by eventfds, SCHED_FIFO 50 on CPU 1
 *   loops preemption SECONDS  from writing an eventfd until a thread of SCHED_FIFO 98 on the same CPU has read it
 *   loops calls SECONDS   getppid, in nanoseconds, the clock read before and after as tracer does
 *   loops timer SECONDS   root of the mean square of what intervals of a timerfd of 1 ms are longer or shorter, in nanoseconds
 *   loops wakeup SECONDS  until a time and for a time in turn, 1 ms each, as tracer does; how late 50, 99, 99.9 % of the former
 *                         are, and the most, in nanoseconds; memory locked, CPUs kept awake
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
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

static volatile int64_t woken;
static int64_t sum, count_of;

static void *higher(void *unused)
{
	struct sched_param parameters = { .sched_priority = 98 };

	(void)unused;
	settle();
	sched_setscheduler(0, SCHED_FIFO, &parameters);
	for (wait_for(there); !over; wait_for(there)) {
		sum += now() - woken;
		count_of++;
	}
	return NULL;
}

static double preemption(int64_t end)
{
	pthread_t thread;

	there = eventfd(0, 0);
	pthread_create(&thread, NULL, higher, NULL);
	usleep(10000);
	while (now() < end) {
		woken = now();
		set(there);
	}
	over = 1;
	set(there);
	pthread_join(thread, NULL);
	return (double)sum / (double)count_of;
}

static double calls(int64_t end)
{
	while (now() < end) {
		int64_t before = now();

		syscall(110);
		sum += now() - before;
		count_of++;
	}
	return (double)sum / (double)count_of;
}

static double timer(int64_t end)
{
	struct itimerspec each = { { 0, 1000000 }, { 0, 1000000 } };
	int file = timerfd_create(CLOCK_MONOTONIC, 0);
	double squares = 0;
	int64_t last;

	timerfd_settime(file, 0, &each, NULL);
	wait_for(file);
	last = now();
	while (last < end) {
		int64_t then;

		wait_for(file);
		then = now();
		squares += (double)(then - last - 1000000) * (double)(then - last - 1000000);
		count_of++;
		last = then;
	}
	return sqrt(squares / (double)count_of);
}

static int compare(const void *one, const void *other)
{
	int64_t first = *(const int64_t *)one, then = *(const int64_t *)other;

	return (first > then) - (first < then);
}

static void wakeup(int64_t end)
{
	static int64_t late[1 << 17];
	struct timespec interval = { 0, 1000000 };
	int32_t none = 0;
	int awake = open("/dev/cpu_dma_latency", O_RDWR);
	int count = 0;

	if (mlockall(MCL_CURRENT | MCL_FUTURE) || write(awake, &none, sizeof(none)) != sizeof(none)) {
		fputs("loops: locked memory and /dev/cpu_dma_latency are needed\n", stderr);
		exit(1);
	}
	while (now() < end && count < 1 << 17) {
		int64_t due = now() + interval.tv_nsec;
		struct timespec until = { due / 1000000000, due % 1000000000 };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		late[count++] = now() - due;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &interval, NULL);
	}
	qsort(late, count, sizeof(late[0]), compare);
	printf("%ld %ld %ld %ld\n", (long)late[count / 2], (long)late[count * 99L / 100], (long)late[count * 999L / 1000],
		(long)late[count - 1]);
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

	if (!strcmp(words[1], "wakeup")) {
		wakeup(end);
		return 0;
	}

	if (!strcmp(words[1], "preemption") || !strcmp(words[1], "calls") || !strcmp(words[1], "timer")) {
		printf("%.1f\n", words[1][0] == 'p' ? preemption(end) : words[1][0] == 'c' ? calls(end) : timer(end));
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
