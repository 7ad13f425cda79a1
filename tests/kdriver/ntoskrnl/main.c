/*
 * ntoskrnl DRIVER.so NAME [WORD]: with the image of bad_driver.c the tests of the fake kernel itself, else those of the driver. Runs
 * those whose name contains WORD, each in a process of its own, and prints their TAP lines; NAME is the build's. A test that the fake
 * kernel or a sanitizer ends has failed; what they said stands in front of its line. NEVER_RUN=FILE: the functions of the image that no
 * test has run, an address a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests.h"

/* Asked by the address sanitizer. What is left is counted by the fake kernel itself. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0:handle_sigill=1";
}

static const char *build;
static const char *only = "";
static int failed;

static int wait_for_end(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, 0) != child)
		;
	return status;
}

void run_test(const char *name, void (*test)(void))
{
	int status;
	pid_t child;

	if (strstr(name, only) == NULL)
		return;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		dup2(1, 2);
		alarm(getenv("SEEDS") != NULL ? 3000 : 60);
		test();
		fflush(stdout);
		_exit(0);
	}
	status = wait_for_end(child);
	printf("%s fake kernel: %s (%s)\n", status == 0 ? "ok" : "not ok", name, build);
	failed |= status != 0;
}

/* What the child says, up to the buffer's end. */
static void read_all(int file, char *text, size_t bytes)
{
	size_t used = 0;
	ssize_t count;

	while (used + 1 < bytes && (count = read(file, text + used, bytes - 1 - used)) > 0)
		used += (size_t)count;
	text[used] = 0;
}

void run_bad(const char *name, void (*test)(void), const char *said)
{
	static char text[0x20000];
	int pipes[2], status;
	pid_t child;
	bool is_found;

	if (strstr(name, only) == NULL || pipe(pipes) != 0)
		return;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		dup2(pipes[1], 1);
		dup2(pipes[1], 2);
		close(pipes[0]);
		close(pipes[1]);
		alarm(getenv("SEEDS") != NULL ? 3000 : 60);
		test();
		fflush(stdout);
		_exit(0);
	}
	close(pipes[1]);
	read_all(pipes[0], text, sizeof(text));
	close(pipes[0]);
	status = wait_for_end(child);
	is_found = status != 0 && strstr(text, said) != NULL;
	if (!is_found)
		printf("# wanted: %s\n# said: %.2000s\n", said, text);
	printf("%s fake kernel: finds %s (%s)\n", is_found ? "ok" : "not ok", name, build);
	failed |= !is_found;
}

void check(bool holds, const char *what, const char *file, int line)
{
	if (!holds)
		bug("%s:%d: %s", file, line, what);
}

int main(int count, char **arguments)
{
	if (count < 3) {
		fprintf(stderr, "ntoskrnl DRIVER.so NAME [WORD]\n");
		return 64;
	}
	branches_share();
	driver_image = arguments[1];
	build = arguments[2];
	if (count > 3)
		only = arguments[3];
	if (strstr(driver_image, "bad_driver") != NULL)
		bad_tests();
	else
		driver_tests();
	if (getenv("NEVER_RUN") != NULL)
		branches_write(getenv("NEVER_RUN"));
	return failed;
}
