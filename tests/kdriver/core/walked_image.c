/* A PE image for walk_steps.c: functions with all kinds of prologs, called by one another, no imports, no addresses to relocate. */
#include <stddef.h>

int start(int depth);

static volatile int sink;

__attribute__((noinline)) static int leaf(int value)
{
	return value * 3 + sink;
}

/* Keeps many registers. */
__attribute__((noinline)) static int keeps_registers(int a, int b, int c, int d)
{
	int first = leaf(a), second = leaf(b), third = leaf(c), fourth = leaf(d);
	int fifth = leaf(first + second), sixth = leaf(third + fourth);

	return first + second * third + fourth * fifth + sixth + leaf(first);
}

/* Has a fixed frame with an array in it. */
__attribute__((noinline)) static int has_array(int value)
{
	volatile int array[40];

	for (int i = 0; i < 3; i++)
		array[i] = keeps_registers(value, i, value + i, i);
	return array[0] + array[1] + array[2];
}

/* Has a frame pointer, since its frame grows. */
__attribute__((noinline)) static int grows(int count)
{
	volatile char *bytes = __builtin_alloca((size_t)count * 8 + 16);

	bytes[0] = (char)count;
	bytes[count] = (char)leaf(count);
	return has_array(bytes[0]) + bytes[count];
}

/* Ends in a jump. */
__attribute__((noinline)) static int tail(int value)
{
	sink = value;
	return grows(value + 1);
}

__attribute__((noinline)) static int recurses(int depth)
{
	if (depth == 0)
		return tail(3);
	return recurses(depth - 1) + leaf(depth);
}

__attribute__((noinline)) static int by_pointer(int (*volatile function)(int), int value)
{
	return function(value) + 1;
}

int start(int depth)
{
	return recurses(depth) + by_pointer(leaf, depth) + by_pointer(tail, 1);
}
