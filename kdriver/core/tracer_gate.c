#include "tracer_gate.h"

#include "tracer_hal.h"
#include "tracer_stubs.h"

#define TYPE_INTERRUPT_GATE 14u

static uint16_t half(const struct tracer_gate *gate, unsigned at)
{
	return (uint16_t)(gate->bytes[at] | gate->bytes[at + 1] << 8);
}

static void set_half(struct tracer_gate *gate, unsigned at, uint64_t value)
{
	gate->bytes[at] = (uint8_t)value;
	gate->bytes[at + 1] = (uint8_t)(value >> 8);
}

void tracer_gate_decode(const struct tracer_gate *gate, unsigned word_bytes, struct tracer_gate_parts *parts)
{
	uint8_t access = gate->bytes[5];
	uint8_t extra = gate->bytes[4];

	parts->handler = half(gate, 0) | (uint64_t)half(gate, 6) << 16;
	parts->selector = half(gate, 2);
	parts->type = access & 15;
	parts->privilege = (access >> 5) & 3;
	parts->present = (access & 0x80) != 0;
	parts->interrupt_stack = 0;
	parts->word_bytes = (uint8_t)word_bytes;
	parts->well_formed = (access & 0x10) == 0; /* a system descriptor */
	if (word_bytes == 8) {
		parts->handler |= (uint64_t)half(gate, 8) << 32 | (uint64_t)half(gate, 10) << 48;
		parts->interrupt_stack = extra & 7;
		if ((extra & ~7u) != 0 || half(gate, 12) != 0 || half(gate, 14) != 0)
			parts->well_formed = false;
	} else if (extra != 0) {
		parts->well_formed = false;
	}
}

void tracer_gate_redirect(const struct tracer_gate *gate, unsigned word_bytes, uint64_t handler, struct tracer_gate *redirected)
{
	*redirected = *gate;
	set_half(redirected, 0, handler);
	set_half(redirected, 6, handler >> 16);
	if (word_bytes == 8) {
		set_half(redirected, 8, handler >> 32);
		set_half(redirected, 10, handler >> 48);
	}
}

void tracer_gate_encode(uint64_t handler, uint16_t selector, uint8_t interrupt_stack, unsigned word_bytes, struct tracer_gate *gate)
{
	struct tracer_gate empty = { { 0 } };

	set_half(&empty, 2, selector);
	empty.bytes[4] = word_bytes == 8 ? interrupt_stack & 7 : 0;
	empty.bytes[5] = 0x80 | TYPE_INTERRUPT_GATE;
	tracer_gate_redirect(&empty, word_bytes, handler, gate);
}

static bool are_equal(const struct tracer_gate *a, const struct tracer_gate *b)
{
	for (unsigned i = 0; i < sizeof(a->bytes); i++) {
		if (a->bytes[i] != b->bytes[i])
			return false;
	}
	return true;
}

static void gate_of(const struct tracer_hook *hook, uint16_t cpu, struct tracer_gate *gate)
{
	tracer_gate_redirect(&hook->before, hook->word_bytes, hook->thunks + (uint64_t)cpu * TRACER_THUNK_BYTES, gate);
}

enum gate_owner {
	OWNER_US,
	OWNER_BEFORE, /* the gate is the old one */
	OWNER_OTHER
};

static enum gate_owner owner_of(const struct tracer_hook *hook, uint16_t cpu)
{
	struct tracer_gate ours, now;

	gate_of(hook, cpu, &ours);
	if (!tracer_hal_gate_read(cpu, hook->vector, &now))
		return OWNER_OTHER;
	if (are_equal(&now, &ours))
		return OWNER_US;
	return are_equal(&now, &hook->before) ? OWNER_BEFORE : OWNER_OTHER;
}

static bool is_any_other(const struct tracer_hook *hook)
{
	for (uint16_t cpu = 0; cpu < hook->cpus; cpu++) {
		if (owner_of(hook, cpu) == OWNER_OTHER)
			return true;
	}
	return false;
}

/* The old gates back; false where one is not ours any more. Those that are back already stay. */
static bool put_back(const struct tracer_hook *hook)
{
	bool all = true;

	for (uint16_t cpu = hook->cpus; cpu-- > 0;) {
		struct tracer_gate ours;
		gate_of(hook, cpu, &ours);
		if (owner_of(hook, cpu) != OWNER_BEFORE && !tracer_hal_gate_exchange(cpu, hook->vector, &ours, &hook->before))
			all = false;
	}
	return all;
}

/* Checks that all CPUs have the same gate and that it is one that may be hooked. */
static enum tracer_hook_answer examine(const struct tracer_hook *hook, uint16_t selector, uint64_t *handler)
{
	struct tracer_gate_parts parts;

	tracer_gate_decode(&hook->before, hook->word_bytes, &parts);
	*handler = parts.handler;
	if (parts.handler >= hook->thunks && parts.handler - hook->thunks < (uint64_t)TRACER_MAX_CPUS * TRACER_THUNK_BYTES)
		return TRACER_HOOK_ALREADY;
	if (!parts.present || !parts.well_formed || parts.type != TYPE_INTERRUPT_GATE || parts.privilege != 0 ||
		parts.selector != selector || parts.handler == 0)
		return TRACER_HOOK_FOREIGN;
	for (uint16_t cpu = 1; cpu < hook->cpus; cpu++) {
		struct tracer_gate other;
		if (!tracer_hal_gate_read(cpu, hook->vector, &other))
			return TRACER_HOOK_NO_GATE;
		if (!are_equal(&other, &hook->before))
			return TRACER_HOOK_UNEQUAL;
	}
	return TRACER_HOOK_DONE;
}

enum tracer_hook_answer tracer_hook_install(
	struct tracer_hook *hook, uint8_t vector, uint16_t cpus, uint16_t selector, uint64_t thunks, uintptr_t *chain)
{
	enum tracer_hook_answer answer;
	uint16_t cpu;

	if (hook->installed)
		return TRACER_HOOK_ALREADY;
	if (cpus == 0 || cpus > TRACER_MAX_CPUS)
		return TRACER_HOOK_TOO_MANY;
	hook->vector = vector;
	hook->cpus = cpus;
	hook->thunks = thunks;
	hook->chain = chain;
	hook->word_bytes = sizeof(uintptr_t);
	if (!tracer_hal_gate_read(0, vector, &hook->before))
		return TRACER_HOOK_NO_GATE;
	answer = examine(hook, selector, &hook->old_handler);
	if (answer != TRACER_HOOK_DONE)
		return answer;

	*chain = (uintptr_t)hook->old_handler;
	for (cpu = 0; cpu < cpus; cpu++) {
		struct tracer_gate ours;
		gate_of(hook, cpu, &ours);
		if (!tracer_hal_gate_exchange(cpu, vector, &hook->before, &ours))
			break;
	}
	if (cpu < cpus) {
		/*
		 * The chain stays set: an interrupt may be in the stub just now. A CPU whose gate somebody changed is not ours to put back;
		 * if a CPU before it cannot be put back, the hook counts as installed.
		 */
		hook->cpus = cpu;
		hook->installed = !put_back(hook);
		return TRACER_HOOK_CHANGED;
	}
	hook->installed = true;
	return TRACER_HOOK_DONE;
}

bool tracer_hook_is_in_place(const struct tracer_hook *hook)
{
	if (!hook->installed)
		return false;
	for (uint16_t cpu = 0; cpu < hook->cpus; cpu++) {
		if (owner_of(hook, cpu) != OWNER_US)
			return false;
	}
	return true;
}

enum tracer_hook_answer tracer_hook_remove(struct tracer_hook *hook)
{
	if (!hook->installed)
		return TRACER_HOOK_DONE;
	if (is_any_other(hook) || !put_back(hook))
		return TRACER_HOOK_HOOKED_OVER;
	hook->installed = false;
	return TRACER_HOOK_DONE;
}

enum tracer_hook_answer tracer_vector_take(uint16_t cpu, uint8_t vector, const struct tracer_gate *wanted, struct tracer_gate *before)
{
	struct tracer_gate_parts parts;

	if (!tracer_hal_gate_read(cpu, vector, before))
		return TRACER_HOOK_NO_GATE;
	tracer_gate_decode(before, sizeof(uintptr_t), &parts);
	if (parts.present)
		return TRACER_HOOK_FOREIGN;
	return tracer_hal_gate_exchange(cpu, vector, before, wanted) ? TRACER_HOOK_DONE : TRACER_HOOK_CHANGED;
}

enum tracer_hook_answer tracer_vector_return(
	uint16_t cpu, uint8_t vector, const struct tracer_gate *ours, const struct tracer_gate *before)
{
	return tracer_hal_gate_exchange(cpu, vector, ours, before) ? TRACER_HOOK_DONE : TRACER_HOOK_HOOKED_OVER;
}
