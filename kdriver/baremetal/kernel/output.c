/* What the host gets: text on the first serial port, QEMU's exit status. Records go out over the debug port (shell.c). */
#include "kernel.h"

#define PORT_TEXT 0x3F8u
#define PORT_EXIT 0xF4u
#define EXIT_DONE 0x10u
#define EXIT_FAILED 0x11u

static bool has_failed;

void KiPrint(const char *text)
{
	for (; *text != 0; text++)
		port_write(PORT_TEXT, (uint8_t)*text);
}

void KiPrintNumber(uint64_t number)
{
	char digits[21];
	unsigned at = sizeof(digits) - 1;

	digits[at] = 0;
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	KiPrint(&digits[at]);
}

void KiCheck(bool is_met, const char *what)
{
	KiPrint(is_met ? "ok " : "not ok ");
	KiPrint(what);
	KiPrint("\n");
	has_failed |= !is_met;
}

void KiCheckQuietly(bool is_met, const char *what)
{
	if (!is_met)
		KiCheck(false, what);
}

_Noreturn void KiExit(void)
{
	for (;;)
		__asm__ volatile("outl %0, %1" : : "a"(has_failed ? EXIT_FAILED : EXIT_DONE), "Nd"((uint16_t)PORT_EXIT));
}

_Noreturn void KiStopAll(const char *why)
{
	KiPrint("not ok ");
	KiPrint(why);
	KiPrint("\n");
	has_failed = true;
	KiExit();
}

void *memcpy(void *to, const void *from, __SIZE_TYPE__ bytes)
{
	uint8_t *destination = to;
	const uint8_t *source = from;

	while (bytes-- > 0)
		*destination++ = *source++;
	return to;
}

void *memset(void *to, int value, __SIZE_TYPE__ bytes)
{
	uint8_t *destination = to;

	while (bytes-- > 0)
		*destination++ = (uint8_t)value;
	return to;
}

int memcmp(const void *one, const void *other, __SIZE_TYPE__ bytes)
{
	const uint8_t *a = one, *b = other;

	for (; bytes > 0; bytes--, a++, b++) {
		if (*a != *b)
			return *a < *b ? -1 : 1;
	}
	return 0;
}
