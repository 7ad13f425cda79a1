/*
 * app.exe: a program in user mode that computes and rests, by the kernel's only system call. It is never guilty, but nasty: it has AC set,
 * and calls the system with a stack pointer that leads nowhere.
 */
#include "../boot_info.h"

#define ROUNDS 40000u
#define PAUSED_ROUNDS 64u
#define REST_NS UINT64_C(2000000)

void AppMain(void);

static volatile uint32_t checksum;

static void rest(uint64_t ns)
{
	__asm__ volatile("movq %%rsp, %%r12\n\t"
			 "movq %1, %%rsp\n\t"
			 "syscall\n\t"
			 "movq %%r12, %%rsp"
		: "+d"(ns)
		: "r"(BOOT_BAD_STACK)
		: "rax", "rcx", "r8", "r9", "r10", "r11", "r12", "memory", "cc");
}

/* Access prevention is off in the kernel as long as nobody clears it there. */
static void set_ac(void)
{
	__asm__ volatile("pushfq\n\torl $0x40000, (%%rsp)\n\tpopfq" : : : "memory", "cc");
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
	set_ac();
	for (;;) {
		AppCompute();
		rest(REST_NS);
	}
}
