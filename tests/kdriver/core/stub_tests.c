/*
 * The assembly stubs, run in user mode: everything but what only a CPU's own interrupt can show (privilege changes, SWAPGS, IST), which
 * is the bare-metal kernel's part.
 */
#include "fake_machine.h"
#include "interrupt_state.h"
#include "tracer_stubs.h"

#define CPU 5
#define CAPACITY 4
#define KERNEL_CS 0x10
#define IS_64 (sizeof(uintptr_t) == 8)
#define REGISTERS (IS_64 ? 16 : 8)

static struct tracer_slot slots[CAPACITY];
static struct tracer_ring ring;
static struct tracer_sample sample;
static struct interrupt_state before;
static uint8_t pages[3 * 4096] __attribute__((aligned(4096)));

static unsigned latency_calls, error_calls;
static struct tracer_interrupt interrupt;
static uint32_t called_for;

/* Spoils every register that a called function may spoil. */
static void spoil_registers(void)
{
#ifdef __x86_64__
	__asm__ volatile("mov $-1, %%rax; mov %%rax, %%rcx; mov %%rax, %%rdx; mov %%rax, %%rsi; mov %%rax, %%rdi; mov %%rax, %%r8;"
		"mov %%rax, %%r9; mov %%rax, %%r10; mov %%rax, %%r11"
		::: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
#else
	__asm__ volatile("mov $-1, %%eax; mov %%eax, %%ecx; mov %%eax, %%edx" ::: "eax", "ecx", "edx", "cc");
#endif
}

void tracer_on_latency_interrupt(uint32_t cpu, const struct tracer_interrupt *taken)
{
	latency_calls++;
	called_for = cpu;
	interrupt = *taken;
	spoil_registers();
}

void tracer_on_apic_error(uint32_t cpu)
{
	error_calls++;
	called_for = cpu;
	spoil_registers();
}

static const void *thunk(const uint8_t *row)
{
	return row + CPU * TRACER_THUNK_BYTES;
}

static uintptr_t own_cs(void)
{
	uintptr_t cs = 0;

	__asm__("mov %%cs, %w0" : "+r"(cs));
	return cs;
}

static uintptr_t own_ss(void)
{
	uintptr_t ss = 0;

	__asm__("mov %%ss, %w0" : "+r"(ss));
	return ss;
}

/* Interrupted kernel code: every register has a value of its own. */
static void reset(void)
{
	fake_reset();
	CHECK(tracer_ring_init(&ring, slots, CAPACITY, 0));
	tracer_stub_cpus[CPU].ring = &ring;
	tracer_stub_cpus[CPU].spurious = 0;
	tracer_stub_cpus[CPU].given_up = 0;
	tracer_stub_pit_chain = (uintptr_t)interrupt_landing;
	tracer_stub_nmi_chain = (uintptr_t)interrupt_landing;
	tracer_stub_lowest_stack = 0x1000;
	latency_calls = 0;
	error_calls = 0;
	for (unsigned i = 0; i < 16; i++)
		before.registers[i] = (uintptr_t)UINT64_C(0x1122334455667700) + i;
	for (unsigned i = 0; i < sizeof(pages); i++)
		pages[i] = (uint8_t)(i * 7 + i / 256);
	before.registers[SP] = (uintptr_t)(pages + 4096 + 800);
	before.ip = (uintptr_t)UINT64_C(0xFFFFF80611223344);
	before.cs = KERNEL_CS;
	before.flags = 0x202;
	before.ss = 0x18;
}

/* The interrupted code is this test itself, so that the stub can return to it. */
static void interrupt_ourselves(void)
{
	before.ip = (uintptr_t)interrupt_return;
	before.cs = own_cs();
	before.ss = own_ss();
	before.registers[SP] = (uintptr_t)(pages + 4096 + 800);
}

static void check_registers_kept(void)
{
	for (unsigned i = 0; i < REGISTERS; i++) {
		if (i != SP)
			CHECK_EQUAL(before.registers[i], interrupt_after.registers[i]);
	}
}

static void check_only_sample(enum tracer_sample_source source)
{
	struct tracer_ring_cursor cursor = { 0, 0, 0 };

	CHECK_EQUAL(1, tracer_ring_head(&ring));
	CHECK_EQUAL(TRACER_RING_SAMPLE, tracer_ring_read(&ring, &cursor, 1, &sample));
	CHECK_EQUAL(source, sample.source);
	CHECK_EQUAL(before.ip, sample.ip);
	CHECK_EQUAL(before.cs, sample.cs);
	CHECK_EQUAL(before.flags, sample.flags);
	CHECK_EQUAL(CPU, sample.cpu);
	CHECK_EQUAL(sizeof(uintptr_t), sample.word_bytes);
	CHECK_EQUAL(before.registers[BP], sample.registers[TRACER_KEPT_BP]);
	CHECK_EQUAL(before.registers[BX], sample.registers[TRACER_KEPT_BX]);
	CHECK_EQUAL(before.registers[SI], sample.registers[TRACER_KEPT_SI]);
	CHECK_EQUAL(before.registers[DI], sample.registers[TRACER_KEPT_DI]);
	for (unsigned i = 0; i < 4; i++)
		CHECK_EQUAL(IS_64 ? before.registers[R12 + i] : 0, sample.registers[TRACER_KEPT_R12 + i]);
}

static void pit_records_and_jumps_on(void)
{
	reset();
	enter_stub_at(thunk(tracer_stub_pit), &before);
	check_registers_kept();
	CHECK_EQUAL(before.ip, interrupt_after.ip);
	CHECK_EQUAL(before.cs, interrupt_after.cs);
	CHECK_EQUAL(before.flags, interrupt_after.flags);
	if (IS_64) {
		CHECK_EQUAL(before.ss, interrupt_after.ss);
		CHECK_EQUAL(before.registers[SP], interrupt_after.registers[SP]);
	}
	check_only_sample(TRACER_SAMPLE_PIT);
	/* Where a 32-bit frame ends, the interrupted stack begins. */
	CHECK_EQUAL(interrupt_after.registers[SP], sample.sp);
	CHECK_EQUAL(0, latency_calls);
}

static void keeps_the_clock(void)
{
	struct tracer_ring_cursor cursor = { 0, 0, 0 };
	uint64_t last = 0;

	reset();
	for (unsigned i = 0; i < CAPACITY; i++)
		enter_stub_at(thunk(tracer_stub_pit), &before);
	for (unsigned i = 0; i < CAPACITY; i++) {
		CHECK_EQUAL(TRACER_RING_SAMPLE, tracer_ring_read(&ring, &cursor, CAPACITY, &sample));
		CHECK(sample.clock > last);
		last = sample.clock;
	}
}

/* 64 bits only: the stack pointer is the test's choice. */
static void check_stack(unsigned offset, unsigned bytes)
{
	reset();
	before.registers[SP] = (uintptr_t)(pages + offset);
	enter_stub_at(thunk(tracer_stub_pit), &before);
	check_only_sample(TRACER_SAMPLE_PIT);
	CHECK_EQUAL(bytes, sample.stack_bytes);
	for (unsigned i = 0; i < bytes; i++)
		CHECK_EQUAL(pages[offset + i], sample.stack[i]);
}

static void keeps_the_stack_within_its_page(void)
{
	if (!IS_64) {
		const uint32_t *words = (const void *)sample.stack;
		uintptr_t sp;

		reset();
		enter_stub_at(thunk(tracer_stub_pit), &before);
		check_only_sample(TRACER_SAMPLE_PIT);
		sp = interrupt_after.registers[SP];
		CHECK(sample.stack_bytes >= 28 && sample.stack_bytes <= TRACER_SAMPLE_STACK_BYTES);
		CHECK(((sp - 1) | 4095) + 1 >= sp + sample.stack_bytes);
		/* Four registers that the harness saved, its return address, its arguments. */
		CHECK_EQUAL((uintptr_t)thunk(tracer_stub_pit), words[5]);
		CHECK_EQUAL((uintptr_t)&before, words[6]);
		tracer_stub_lowest_stack = UINT32_MAX;
		enter_stub_at(thunk(tracer_stub_pit), &before);
		CHECK_EQUAL(TRACER_RING_SAMPLE, tracer_ring_read(&ring, &(struct tracer_ring_cursor){ 1, 0, 0 }, 2, &sample));
		CHECK_EQUAL(0, sample.stack_bytes);
		return;
	}
	check_stack(4096, 0);
	check_stack(4096 + 8, 512);
	check_stack(4096 + 3584, 512);
	check_stack(4096 + 3592, 504);
	check_stack(8192 - 8, 8);
	check_stack(8192 - 7, 0);
	check_stack(8192, 0);

	/* A user's stack is not touched: by its code segment, or by its address while the kernel is still on it. */
	reset();
	before.cs = 0x33;
	enter_stub_at(thunk(tracer_stub_pit), &before);
	check_only_sample(TRACER_SAMPLE_PIT);
	CHECK_EQUAL(0, sample.stack_bytes);
	CHECK_EQUAL(before.registers[SP], sample.sp);
	reset();
	tracer_stub_lowest_stack = UINTPTR_MAX / 2;
	before.registers[SP] = 0x7000;
	enter_stub_at(thunk(tracer_stub_pit), &before);
	check_only_sample(TRACER_SAMPLE_PIT);
	CHECK_EQUAL(0, sample.stack_bytes);
}

/*
 * An NMI finds the kernel's code and a program's stack pointer where it comes right behind SYSCALL: whatever the pointer is, it is not
 * followed. On 32-bit systems it is the kernel's own, and a frame there ends where the interrupted stack begins.
 */
static void follows_no_stack_pointer_of_an_nmi(void)
{
	reset();
	enter_stub_at(thunk(tracer_stub_nmi), &before);
	check_only_sample(TRACER_SAMPLE_NMI);
	if (!IS_64)
		return;
	CHECK_EQUAL(0, sample.stack_bytes);
	CHECK_EQUAL(before.registers[SP], sample.sp);
}

/* The stack pointer of an NMI, and the end of the kernel stack of the thread that runs. */
static void check_stack_of_an_nmi(uint64_t end, unsigned offset, unsigned bytes)
{
	const volatile uint64_t kept = end;

	reset();
	tracer_stub_cpus[CPU].stack_end = &kept;
	before.registers[SP] = (uintptr_t)(pages + offset);
	enter_stub_at(thunk(tracer_stub_nmi), &before);
	tracer_stub_cpus[CPU].stack_end_word = 0;
	check_registers_kept();
	check_only_sample(TRACER_SAMPLE_NMI);
	CHECK_EQUAL(bytes, sample.stack_bytes);
	for (unsigned i = 0; i < bytes; i++)
		CHECK_EQUAL(pages[offset + i], sample.stack[i]);
}

static void keeps_the_stack_of_an_nmi_within_the_threads(void)
{
	uint64_t end = (uintptr_t)(pages + 8192);

	if (!IS_64)
		return;
	check_stack_of_an_nmi(end, 4096 + 8, 512);
	check_stack_of_an_nmi(end, 8192 - 8, 8);
	check_stack_of_an_nmi(end, 8192, 0);
	check_stack_of_an_nmi(end, 8192 - 1, 0);
	/* Above the thread's stack, and below what a stack is known to have. */
	check_stack_of_an_nmi((uintptr_t)(pages + 4096), 4096 + 8, 0);
	check_stack_of_an_nmi((uintptr_t)(pages + 4104) + TRACER_NMI_STACK_BYTES, 4104, 512);
	check_stack_of_an_nmi((uintptr_t)(pages + 4104) + TRACER_NMI_STACK_BYTES + 1, 4104, 0);
}

static void works_without_a_ring(void)
{
	reset();
	tracer_stub_cpus[CPU].ring = NULL;
	enter_stub_at(thunk(tracer_stub_pit), &before);
	check_registers_kept();
	CHECK_EQUAL(before.ip, interrupt_after.ip);
	CHECK_EQUAL(0, tracer_ring_head(&ring));
}

static void every_cpu_has_its_thunk(void)
{
	reset();
	for (unsigned cpu = 0; cpu < TRACER_MAX_CPUS; cpu++) {
		struct tracer_ring_cursor cursor = { cpu, 0, 0 };
		tracer_stub_cpus[cpu].ring = &ring;
		enter_stub_at(tracer_stub_pit + (size_t)cpu * TRACER_THUNK_BYTES, &before);
		CHECK_EQUAL(TRACER_RING_SAMPLE, tracer_ring_read(&ring, &cursor, cpu + 1, &sample));
		CHECK_EQUAL(cpu, sample.cpu);
		tracer_stub_cpus[cpu].ring = NULL;
	}
}

static void gives_up_as_the_c_writer_does(void)
{
	reset();
	/* An unfinished writer in slot 0, as if this one had interrupted it a lap later. */
	atomic_store(&ring.head, CAPACITY);
	atomic_store(&slots[0].begin, 0);
	atomic_store(&slots[0].end, UINT32_MAX - 3);
	enter_stub_at(thunk(tracer_stub_pit), &before);
	CHECK_EQUAL(1, tracer_stub_cpus[CPU].given_up);
	CHECK_EQUAL(CAPACITY, slots[0].given_up);
	CHECK_EQUAL(0, slots[0].begin);
	check_registers_kept();
	/* A slot that a newer record has. */
	reset();
	atomic_store(&slots[0].begin, CAPACITY);
	atomic_store(&slots[0].end, CAPACITY);
	enter_stub_at(thunk(tracer_stub_pit), &before);
	CHECK_EQUAL(1, tracer_stub_cpus[CPU].given_up);
	CHECK_EQUAL(CAPACITY, slots[0].begin);
	CHECK(slots[0].given_up != 0);
}

static void latency_calls_c_and_returns(void)
{
	reset();
	interrupt_ourselves();
	enter_stub_at(thunk(tracer_stub_latency), &before);
	CHECK_EQUAL(1, latency_calls);
	CHECK_EQUAL(CPU, called_for);
	CHECK_EQUAL(CPU, interrupt.cpu);
	CHECK_EQUAL(before.ip, interrupt.ip);
	CHECK_EQUAL(before.cs, interrupt.cs);
	CHECK_EQUAL(before.flags, interrupt.flags);
	check_registers_kept();
	check_only_sample(TRACER_SAMPLE_LATENCY_ISR);
	CHECK_EQUAL(sample.clock, interrupt.clock);
	CHECK_EQUAL(sample.sp, interrupt.sp);
	CHECK_EQUAL(0, sample.stack_bytes);
	if (IS_64)
		CHECK_EQUAL(before.registers[SP], interrupt_after.registers[SP]);
}

static void nmi_returns_if_it_was_ours_and_jumps_on_if_not(void)
{
	reset();
	enter_stub_at(thunk(tracer_stub_nmi), &before);
	check_registers_kept();
	CHECK_EQUAL(before.ip, interrupt_after.ip);
	CHECK_EQUAL(before.cs, interrupt_after.cs);
	check_only_sample(TRACER_SAMPLE_NMI);

	reset();
	interrupt_ourselves();
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_nmi_start_pit(TRACER_APIC_MEMORY, CPU + 1));
	fake.irq_0_pending = true;
	CHECK_EQUAL(1, tracer_nmi_acknowledge(0));
	tracer_stub_nmi_chain = 0;
	enter_stub_at(thunk(tracer_stub_nmi), &before);
	tracer_nmi_stop_pit();
	check_registers_kept();
	check_only_sample(TRACER_SAMPLE_NMI);
}

static void spurious_and_error_return(void)
{
	reset();
	interrupt_ourselves();
	enter_stub_at(thunk(tracer_stub_spurious), &before);
	enter_stub_at(thunk(tracer_stub_spurious), &before);
	CHECK_EQUAL(2, tracer_stub_cpus[CPU].spurious);
	check_registers_kept();
	enter_stub_at(thunk(tracer_stub_error), &before);
	CHECK_EQUAL(1, error_calls);
	CHECK_EQUAL(CPU, called_for);
	check_registers_kept();
	CHECK_EQUAL(0, tracer_ring_head(&ring));
}

void stub_tests(void)
{
	run_test("stub: the PIT's records and jumps on, all registers as they were", pit_records_and_jumps_on);
	run_test("stub: keeps the clock", keeps_the_clock);
	run_test("stub: keeps the stack within its page, and no user's", keeps_the_stack_within_its_page);
	run_test("stub: follows no stack pointer of an NMI", follows_no_stack_pointer_of_an_nmi);
	run_test("stub: keeps the stack of an NMI within the thread's", keeps_the_stack_of_an_nmi_within_the_threads);
	run_test("stub: works without a ring", works_without_a_ring);
	run_test("stub: every CPU has its thunk", every_cpu_has_its_thunk);
	run_test("stub: gives up as the C writer does", gives_up_as_the_c_writer_does);
	run_test("stub: latency calls C and returns", latency_calls_c_and_returns);
	run_test("stub: NMI returns if it was ours and jumps on if not", nmi_returns_if_it_was_ours_and_jumps_on_if_not);
	run_test("stub: spurious and error return", spurious_and_error_return);
}
