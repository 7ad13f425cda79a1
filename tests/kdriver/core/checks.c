#include "checks.h"

/* Name of the build: "64 bits, sanitized" and so on. */
#ifndef BUILD_NAME
#error "the build names itself"
#endif

long write(int file, const void *bytes, size_t count);

static bool failed_now;
static int failed_tests;

void print(const char *text)
{
	size_t length = 0;

	while (text[length] != 0)
		length++;
	if (write(1, text, length) < 0)
		failed_tests++;
}

static void print_hex(uint64_t value)
{
	char text[20] = "0x";
	int at = 2;

	for (int shift = 60; shift >= 0; shift -= 4) {
		unsigned digit = (unsigned)(value >> shift) & 15;
		if (digit != 0 || at > 2 || shift == 0)
			text[at++] = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
	}
	text[at] = 0;
	print(text);
}

static void print_decimal(int value)
{
	char text[12];
	int at = 11;

	text[at] = 0;
	do {
		text[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	print(text + at);
}

static void fail(const char *what, const char *file, int line)
{
	failed_now = true;
	print("# ");
	print(file);
	print(":");
	print_decimal(line);
	print(": ");
	print(what);
}

void check(bool holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	fail(what, file, line);
	print("\n");
}

void check_equal(uint64_t expected, uint64_t actual, const char *what, const char *file, int line)
{
	if (expected == actual)
		return;
	fail(what, file, line);
	print(" is ");
	print_hex(actual);
	print(", not ");
	print_hex(expected);
	print("\n");
}

void run_test(const char *name, void (*test)(void))
{
	failed_now = false;
	test();
	print(failed_now ? "not ok core: " : "ok core: ");
	print(name);
	print(" (" BUILD_NAME ")\n");
	if (failed_now)
		failed_tests++;
}

uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

uint64_t fold(uint64_t sum, uint64_t value)
{
	return ((sum << 7 | sum >> 57) ^ value) * UINT64_C(0x9E3779B97F4A7C15);
}

int failures(void)
{
	return failed_tests == 0 ? 0 : 1;
}
