#include "gates.h"

#include "each_cpu.h"
#include "tracer_gate.h"
#include "tracer_hal.h"
#include "tracer_stubs.h"

#define GATE_BYTES (2 * sizeof(uintptr_t))
#define INTERRUPT_GATE 14u

/* As SIDT stores it. */
struct __attribute__((packed)) table {
	uint16_t limit;
	uintptr_t base;
};

struct exchange {
	const struct tracer_gate *expected;
	const struct tracer_gate *wanted;
	uint8_t vector;
	bool is_done;
};

static struct table tables[TRACER_MAX_CPUS];

_IRQL_requires_(PASSIVE_LEVEL) static void find(uint16_t cpu, void *context)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(context);
	__asm__ volatile("sidt %0" : "=m"(tables[cpu]));
}

_IRQL_requires_(PASSIVE_LEVEL) void gates_find(uint16_t cpus)
{
	AT_PASSIVE();
	on_each_cpu(cpus, find, NULL);
}

_IRQL_requires_max_(HIGH_LEVEL) uint16_t gates_selector(void)
{
	uint16_t selector;

	__asm__ volatile("mov %%cs, %0" : "=r"(selector));
	return selector;
}

_IRQL_requires_max_(HIGH_LEVEL) static const uint8_t *gate_at(uint16_t cpu, uint8_t vector)
{
	size_t offset = vector * GATE_BYTES;

	return offset + GATE_BYTES - 1 <= tables[cpu].limit ? (const uint8_t *)tables[cpu].base + offset : NULL;
}

_IRQL_requires_max_(HIGH_LEVEL) bool tracer_hal_gate_read(uint16_t cpu, uint8_t vector, struct tracer_gate *gate)
{
	const uint8_t *at = gate_at(cpu, vector);

	if (at == NULL)
		return false;
	for (size_t i = 0; i < sizeof(gate->bytes); i++)
		gate->bytes[i] = i < GATE_BYTES ? at[i] : 0;
	return true;
}

/* In one step, and no interrupt of this CPU comes between: only an NMI could read half a gate. */
_IRQL_requires_max_(HIGH_LEVEL) static bool exchange_at(void *at, const struct tracer_gate *expected, const struct tracer_gate *wanted)
{
	uintptr_t old[2], new[2];
	uintptr_t interrupts;
	bool is_done;

	__builtin_memcpy(old, expected->bytes, sizeof(old));
	__builtin_memcpy(new, wanted->bytes, sizeof(new));
	interrupts = tracer_hal_interrupts_off();
#if defined(__x86_64__)
	__asm__ volatile("lock cmpxchg16b %1"
		: "=@ccz"(is_done), "+m"(*(__int128 *)at), "+a"(old[0]), "+d"(old[1])
		: "b"(new[0]), "c"(new[1])
		: "memory");
#else
	__asm__ volatile("lock cmpxchg8b %1"
		: "=@ccz"(is_done), "+m"(*(uint64_t *)at), "+a"(old[0]), "+d"(old[1])
		: "b"(new[0]), "c"(new[1])
		: "memory");
#endif
	tracer_hal_interrupts_restore(interrupts);
	return is_done;
}

/* A gate stands at a multiple of its size, so it lies in one page. */
_IRQL_requires_(PASSIVE_LEVEL) static void exchange_here(uint16_t cpu, void *context)
{
	struct exchange *exchange = context;
	const uint8_t *at = gate_at(cpu, exchange->vector);
	PVOID mapped;

	AT_PASSIVE();
	if (at == NULL || (uintptr_t)at % GATE_BYTES != 0)
		return;
	mapped = MmMapIoSpace(MmGetPhysicalAddress((PVOID)(ULONG_PTR)at), GATE_BYTES, MmCached);
	if (mapped == NULL)
		return;
	exchange->is_done = exchange_at(mapped, exchange->expected, exchange->wanted);
	MmUnmapIoSpace(mapped, GATE_BYTES);
}

_IRQL_requires_(PASSIVE_LEVEL) bool tracer_hal_gate_exchange(
	uint16_t cpu, uint8_t vector, const struct tracer_gate *expected, const struct tracer_gate *wanted)
{
	struct exchange exchange = { .expected = expected, .wanted = wanted, .vector = vector, .is_done = false };

	AT_PASSIVE();
	on_cpu(cpu, exchange_here, &exchange);
	return exchange.is_done;
}

_IRQL_requires_(PASSIVE_LEVEL) void gates_handlers(uint64_t handlers[256])
{
	struct tracer_gate gate;
	struct tracer_gate_parts parts;

	AT_PASSIVE();
	for (unsigned vector = 0; vector < 256; vector++) {
		handlers[vector] = 0;
		if (!tracer_hal_gate_read(0, (uint8_t)vector, &gate))
			continue;
		tracer_gate_decode(&gate, sizeof(uintptr_t), &parts);
		if (parts.present && parts.well_formed && parts.type == INTERRUPT_GATE && parts.privilege == 0)
			handlers[vector] = parts.handler;
	}
}
