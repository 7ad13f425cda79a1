/* app.exe: a program in user mode that computes and rests, by the kernel's only system call. It is never guilty. */
#include <stdint.h>

#define ROUNDS 40000u
#define PAUSED_ROUNDS 64u
#define REST_NS UINT64_C(2000000)

void AppMain(void);

static volatile uint32_t checksum;

/* INT 0x2E, as Windows had it once: rcx = ns. */
static void rest(uint64_t ns)
{
	__asm__ volatile("int $0x2E" : : "c"(ns) : "memory");
}

static __attribute__((noinline)) void AppCompute(void)
{
	uint32_t sum = checksum;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		sum ^= i * 0x9E3779B9u;
		sum = sum << 5 | sum >> 27;
		/* QEMU gives the other CPU its turn then. */
		if (i % PAUSED_ROUNDS == 0)
			__builtin_ia32_pause();
	}
	checksum = sum;
}

void AppMain(void)
{
	for (;;) {
		AppCompute();
		rest(REST_NS);
	}
}
