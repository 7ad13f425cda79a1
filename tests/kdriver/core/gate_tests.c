#include "fake_machine.h"
#include "tracer_stubs.h"

#define VECTOR 0x10
#define SELECTOR 0x10
#define THUNKS 0x7F001000u

static struct tracer_hook hook;
static uintptr_t chain;

static enum tracer_hook_answer install(void)
{
	return tracer_hook_install(&hook, VECTOR, FAKE_CPUS, SELECTOR, THUNKS, &chain);
}

static void reset(void)
{
	fake_reset();
	hook = (struct tracer_hook){ .installed = false };
	chain = 0;
}

/* All gates of the vector as fake_reset made them, but for one CPU. */
static void check_old_gates(unsigned except)
{
	for (unsigned cpu = 0; cpu < FAKE_CPUS; cpu++) {
		struct tracer_gate_parts parts;
		if (cpu == except)
			continue;
		tracer_gate_decode(&fake.idt[cpu][VECTOR], sizeof(uintptr_t), &parts);
		CHECK_EQUAL(fake_handler(VECTOR), parts.handler);
	}
}

static void reads_and_writes_gates(void)
{
	/* Windows x64's NMI gate: IST 3. */
	static const struct tracer_gate nmi = { { 0x40, 0x23, 0x10, 0, 3, 0x8E, 0x01, 0xA2, 0x06, 0xF8, 0xFF, 0xFF } };
	static const struct tracer_gate small = { { 0x40, 0x23, 0x08, 0, 0, 0xEE, 0x01, 0x80 } };
	struct tracer_gate_parts parts;
	struct tracer_gate other;

	tracer_gate_decode(&nmi, 8, &parts);
	CHECK_EQUAL(UINT64_C(0xFFFFF806A2012340), parts.handler);
	CHECK_EQUAL(0x10, parts.selector);
	CHECK_EQUAL(14, parts.type);
	CHECK_EQUAL(0, parts.privilege);
	CHECK_EQUAL(3, parts.interrupt_stack);
	CHECK(parts.present && parts.well_formed);
	tracer_gate_redirect(&nmi, 8, UINT64_C(0xFFFF123456789ABC), &other);
	tracer_gate_decode(&other, 8, &parts);
	CHECK_EQUAL(UINT64_C(0xFFFF123456789ABC), parts.handler);
	CHECK_EQUAL(3, parts.interrupt_stack);
	CHECK_EQUAL(0x8E, other.bytes[5]);

	tracer_gate_decode(&small, 4, &parts);
	CHECK_EQUAL(0x80012340, parts.handler);
	CHECK_EQUAL(3, parts.privilege);
	CHECK(parts.well_formed);
	tracer_gate_redirect(&small, 4, 0x12345678, &other);
	CHECK_EQUAL(0x12, other.bytes[7]);
	CHECK_EQUAL(0, other.bytes[8]);

	tracer_gate_encode(UINT64_C(0xFFFFF80000001000), 0x10, 2, 8, &other);
	tracer_gate_decode(&other, 8, &parts);
	CHECK_EQUAL(UINT64_C(0xFFFFF80000001000), parts.handler);
	CHECK_EQUAL(2, parts.interrupt_stack);
	CHECK(parts.present && parts.well_formed);
	other.bytes[13] = 1;
	tracer_gate_decode(&other, 8, &parts);
	CHECK(!parts.well_formed);
}

static void hooks_and_unhooks_every_cpu(void)
{
	struct tracer_gate_parts parts;

	reset();
	CHECK_EQUAL(TRACER_HOOK_DONE, install());
	CHECK_EQUAL(fake_handler(VECTOR), chain);
	CHECK(tracer_hook_is_in_place(&hook));
	for (unsigned cpu = 0; cpu < FAKE_CPUS; cpu++) {
		tracer_gate_decode(&fake.idt[cpu][VECTOR], sizeof(uintptr_t), &parts);
		CHECK_EQUAL(THUNKS + cpu * TRACER_THUNK_BYTES, parts.handler);
		CHECK_EQUAL(SELECTOR, parts.selector);
	}
	CHECK_EQUAL(TRACER_HOOK_ALREADY, install());
	CHECK_EQUAL(TRACER_HOOK_DONE, tracer_hook_remove(&hook));
	check_old_gates(FAKE_CPUS);
	CHECK(!tracer_hook_is_in_place(&hook));
	CHECK_EQUAL(TRACER_HOOK_DONE, tracer_hook_remove(&hook));
}

static void refuses(enum tracer_hook_answer expected)
{
	CHECK_EQUAL(expected, install());
	CHECK_EQUAL(0, fake.exchanges);
	CHECK_EQUAL(0, chain);
	CHECK(!hook.installed);
}

static void refuses_foreign_gates(void)
{
	reset();
	for (unsigned cpu = 0; cpu < FAKE_CPUS; cpu++)
		fake.idt[cpu][VECTOR].bytes[5] = 0x8F; /* trap gate */
	refuses(TRACER_HOOK_FOREIGN);
	reset();
	fake.idt[0][VECTOR].bytes[5] = 0x85; /* task gate, as NMI's of 32-bit Windows */
	refuses(TRACER_HOOK_FOREIGN);
	reset();
	fake.idt[0][VECTOR].bytes[5] = 0xEE; /* user mode may use it */
	refuses(TRACER_HOOK_FOREIGN);
	reset();
	fake.idt[0][VECTOR].bytes[5] = 0x0E; /* not present */
	refuses(TRACER_HOOK_FOREIGN);
	reset();
	fake.idt[0][VECTOR].bytes[2] = 0x18; /* another code segment */
	refuses(TRACER_HOOK_FOREIGN);
	reset();
	fake.idt[0][VECTOR].bytes[4] = 0x80; /* reserved bits */
	refuses(TRACER_HOOK_FOREIGN);
	reset();
	hook.vector = 0;
	CHECK_EQUAL(TRACER_HOOK_NO_GATE, tracer_hook_install(&hook, FAKE_VECTORS, FAKE_CPUS, SELECTOR, THUNKS, &chain));
	CHECK_EQUAL(TRACER_HOOK_TOO_MANY, tracer_hook_install(&hook, VECTOR, TRACER_MAX_CPUS + 1, SELECTOR, THUNKS, &chain));
	CHECK_EQUAL(TRACER_HOOK_TOO_MANY, tracer_hook_install(&hook, VECTOR, 0, SELECTOR, THUNKS, &chain));
}

static void refuses_unequal_gates(void)
{
	reset();
	fake.idt[2][VECTOR].bytes[0] ^= 0x40;
	refuses(TRACER_HOOK_UNEQUAL);
	reset();
	fake.idt[1][VECTOR].bytes[4] = 1; /* another interrupt stack */
	refuses(TRACER_HOOK_UNEQUAL);
	reset();
	fake.idt[FAKE_CPUS - 1][VECTOR].bytes[5] = 0x8F;
	refuses(TRACER_HOOK_UNEQUAL);
}

static void refuses_to_hook_itself(void)
{
	struct tracer_hook second = { .installed = false };
	uintptr_t second_chain = 0;

	reset();
	CHECK_EQUAL(TRACER_HOOK_DONE, install());
	CHECK_EQUAL(TRACER_HOOK_ALREADY, tracer_hook_install(&second, VECTOR, FAKE_CPUS, SELECTOR, THUNKS, &second_chain));
	CHECK_EQUAL(0, second_chain);
	CHECK_EQUAL(TRACER_HOOK_DONE, tracer_hook_remove(&hook));
}

static void undoes_what_changed_under_its_hands(void)
{
	reset();
	fake.meddle_at = 3;
	CHECK_EQUAL(TRACER_HOOK_CHANGED, install());
	check_old_gates(2);
	CHECK(!hook.installed);
}

static void does_not_unhook_when_hooked_over(void)
{
	struct tracer_gate ours;

	reset();
	CHECK_EQUAL(TRACER_HOOK_DONE, install());
	ours = fake.idt[1][VECTOR];
	tracer_gate_redirect(&ours, sizeof(uintptr_t), 0x66660000, &fake.idt[1][VECTOR]);
	fake.exchanges = 0;
	CHECK_EQUAL(TRACER_HOOK_HOOKED_OVER, tracer_hook_remove(&hook));
	CHECK_EQUAL(0, fake.exchanges);
	CHECK(hook.installed);
	CHECK(!tracer_hook_is_in_place(&hook));

	/* The other one takes itself out: then we can. */
	fake.idt[1][VECTOR] = ours;
	CHECK_EQUAL(TRACER_HOOK_DONE, tracer_hook_remove(&hook));
	check_old_gates(FAKE_CPUS);

	/* Hooked over between the look and the exchange: what could be put back is, and the rest can be later. */
	CHECK_EQUAL(TRACER_HOOK_DONE, install());
	fake.exchanges = 0;
	fake.meddle_at = 2;
	ours = fake.idt[2][VECTOR];
	CHECK_EQUAL(TRACER_HOOK_HOOKED_OVER, tracer_hook_remove(&hook));
	CHECK(hook.installed);
	fake.idt[2][VECTOR] = ours;
	CHECK_EQUAL(TRACER_HOOK_DONE, tracer_hook_remove(&hook));
	check_old_gates(FAKE_CPUS);
}

static void takes_and_returns_a_free_vector(void)
{
	struct tracer_gate ours, before;

	reset();
	tracer_gate_encode(THUNKS, SELECTOR, 0, sizeof(uintptr_t), &ours);
	CHECK_EQUAL(TRACER_HOOK_FOREIGN, tracer_vector_take(0, VECTOR, &ours, &before));
	CHECK_EQUAL(TRACER_HOOK_DONE, tracer_vector_take(0, FAKE_VECTORS - 1, &ours, &before));
	CHECK_EQUAL(ours.bytes[0], fake.idt[0][FAKE_VECTORS - 1].bytes[0]);
	CHECK_EQUAL(TRACER_HOOK_FOREIGN, tracer_vector_take(0, FAKE_VECTORS - 1, &ours, &before));
	CHECK_EQUAL(TRACER_HOOK_DONE, tracer_vector_take(0, FAKE_VECTORS - 2, &ours, &before));
	CHECK_EQUAL(TRACER_HOOK_DONE, tracer_vector_return(0, FAKE_VECTORS - 2, &ours, &before));
	CHECK_EQUAL(0, fake.idt[0][FAKE_VECTORS - 2].bytes[5]);
	CHECK_EQUAL(TRACER_HOOK_HOOKED_OVER, tracer_vector_return(0, FAKE_VECTORS - 2, &ours, &before));
}

void gate_tests(void)
{
	run_test("gate: reads and writes both formats", reads_and_writes_gates);
	run_test("gate: hooks and unhooks every CPU", hooks_and_unhooks_every_cpu);
	run_test("gate: refuses foreign gates", refuses_foreign_gates);
	run_test("gate: refuses unequal gates", refuses_unequal_gates);
	run_test("gate: refuses to hook itself", refuses_to_hook_itself);
	run_test("gate: undoes what changed under its hands", undoes_what_changed_under_its_hands);
	run_test("gate: does not unhook when hooked over", does_not_unhook_when_hooked_over);
	run_test("gate: takes and returns a free vector", takes_and_returns_a_free_vector);
}
