/* What a 32-bit test program needs of Linux where no 32-bit C library is installed: a start, write, exit, and what compilers call. */
#include <stddef.h>

int main(void);
long write(int file, const void *bytes, size_t count);
void *memset(void *to, int byte, size_t count);
void *memcpy(void *to, const void *from, size_t count);
void start_here(void);

static long system_call(long number, long first, const void *second, size_t third)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory");
	return result;
}

long write(int file, const void *bytes, size_t count)
{
	return system_call(4, file, bytes, count);
}

void *memset(void *to, int byte, size_t count)
{
	volatile unsigned char *bytes = to;

	for (size_t i = 0; i < count; i++)
		bytes[i] = (unsigned char)byte;
	return to;
}

void *memcpy(void *to, const void *from, size_t count)
{
	volatile unsigned char *bytes = to;
	const unsigned char *source = from;

	for (size_t i = 0; i < count; i++)
		bytes[i] = source[i];
	return to;
}

void start_here(void)
{
	system_call(1, main(), NULL, 0);
}

__asm__(".globl _start\n_start:\n\tandl $-16, %esp\n\tcall start_here\n\thlt\n");
