#include "fake_machine.h"

#include "tracer_clock.h"
#include "tracer_stubs.h"

#define KERNEL_SELECTOR 0x10

struct fake_machine fake;

uint64_t fake_handler(unsigned vector)
{
	return (sizeof(uintptr_t) == 8 ? UINT64_C(0xFFFFF80012340000) : 0x80400000u) + vector * 64;
}

void fake_reset(void)
{
	static const struct fake_machine nothing;

	fake = nothing;
	fake.clock = UINT64_C(1) << 40;
	fake.tsc_hz = 3000000000u;
	fake.bus_hz = 1000000000u;
	fake.access_ticks = 900;
	fake.interrupts_on = true;
	fake.pit[0].divisor = 65536;
	fake.pit[0].mode = 3;
	fake.pit[0].started = fake.clock;
	fake.has_channel_2 = true;
	fake.mask_8259 = 0xFF;
	fake.second_mask_8259 = 0xFF;
	fake.apic_base = 0xFEE00800u;
	fake.apic[TRACER_APIC_SPURIOUS >> 4] = 0x1DF;
	fake.apic[TRACER_APIC_LVT_TIMER >> 4] = 0x100D1;
	fake.apic[TRACER_APIC_LVT_COUNTER >> 4] = 0x100FE;
	fake.apic[TRACER_APIC_LVT_LINT0 >> 4] = 0x10700;
	fake.apic[TRACER_APIC_LVT_ERROR >> 4] = 0xE3;
	fake.apic[TRACER_APIC_DIVIDE >> 4] = 0xB;
	fake.smi_count = TRACER_SMI_NOT_READ;
	for (unsigned cpu = 0; cpu < FAKE_CPUS; cpu++) {
		for (unsigned vector = 0; vector < FAKE_VECTORS / 2; vector++)
			tracer_gate_encode(fake_handler(vector), KERNEL_SELECTOR, 0, sizeof(uintptr_t), &fake.idt[cpu][vector]);
	}
}

void fake_pass(uint64_t ns)
{
	fake.clock += tracer_ns_to_ticks(ns, fake.tsc_hz);
}

const void *fake_record(unsigned index, unsigned type)
{
	static uint64_t empty[FAKE_RECORD_BYTES / 8];
	const struct tracer_record_header *header = (const void *)fake.records[index];

	CHECK(index < fake.record_count);
	if (index >= fake.record_count)
		return empty;
	CHECK_EQUAL(type, header->type);
	return header->type == type ? (const void *)header : empty;
}

static void access(void)
{
	fake.clock += fake.access_ticks;
}

uint64_t tracer_hal_clock(void)
{
	return fake.clock += 30;
}

uintptr_t tracer_hal_interrupts_off(void)
{
	uintptr_t before = fake.interrupts_on;

	fake.interrupts_on = false;
	return before;
}

void tracer_hal_interrupts_restore(uintptr_t before)
{
	fake.interrupts_on = before != 0;
}

static uint64_t pit_ticks(const struct fake_pit_channel *channel)
{
	return tracer_scale(fake.clock - channel->started, TRACER_PIT_HZ, fake.tsc_hz);
}

/* What a channel's counter shows. */
static uint32_t pit_count(const struct fake_pit_channel *channel)
{
	uint64_t ticks = pit_ticks(channel) * (channel->mode == 3 ? 2 : 1);

	while (ticks >= UINT64_C(16) * channel->divisor)
		ticks -= UINT64_C(16) * channel->divisor;
	while (ticks >= channel->divisor)
		ticks -= channel->divisor;
	return channel->divisor - (uint32_t)ticks;
}

static void pit_command(uint8_t value)
{
	struct fake_pit_channel *channel = &fake.pit[value >> 6 == 3 ? 0 : value >> 6];

	if (value == 0xE2) {
		channel->status = (uint8_t)(0x30 | channel->mode << 1);
		channel->status_wanted = true;
	} else if ((value & 0x30) == 0) {
		uint32_t count = pit_count(channel);
		channel->latched[0] = (uint8_t)count;
		channel->latched[1] = (uint8_t)(count >> 8);
		channel->latched_left = 2;
	} else {
		channel->mode = (value >> 1) & 7;
		channel->low_written = false;
	}
}

static void pit_write(struct fake_pit_channel *channel, uint8_t value)
{
	if (!channel->low_written) {
		channel->written_low = value;
		channel->low_written = true;
		return;
	}
	channel->low_written = false;
	channel->divisor = (uint32_t)value << 8 | channel->written_low;
	if (channel->divisor == 0)
		channel->divisor = 65536;
	channel->started = fake.clock;
}

static uint8_t pit_read(struct fake_pit_channel *channel)
{
	if (channel->status_wanted) {
		channel->status_wanted = false;
		return channel->status;
	}
	CHECK(channel->latched_left > 0);
	return channel->latched[2 - channel->latched_left--];
}

static uint8_t read_8259(void)
{
	if (!fake.poll_wanted)
		return fake.irq_0_pending;
	fake.poll_wanted = false;
	if (!fake.irq_0_pending || (fake.mask_8259 & 1) || fake.irq_0_in_service)
		return 0;
	fake.irq_0_pending = false;
	fake.irq_0_in_service = true;
	return 0x80;
}

uint8_t tracer_hal_port_read(uint16_t port)
{
	access();
	switch (port) {
	case 0x20:
		return read_8259();
	case 0x21:
		return fake.mask_8259;
	case 0xA1:
		return fake.second_mask_8259;
	case 0x40:
	case 0x42:
		return pit_read(&fake.pit[port - 0x40]);
	case 0x61:
		if (!fake.has_channel_2)
			return 0xFF;
		return fake.port_61 | (pit_ticks(&fake.pit[2]) >= fake.pit[2].divisor ? 0x20 : 0);
	default:
		fake.faults++;
		return 0xFF;
	}
}

void tracer_hal_port_write(uint16_t port, uint8_t value)
{
	access();
	switch (port) {
	case 0x20:
		if (value == 0x0C)
			fake.poll_wanted = true;
		else if (value == 0x60)
			fake.irq_0_in_service = false;
		else
			fake.faults++;
		fake.ends_of_8259 += value == 0x60;
		return;
	case 0x21:
		fake.mask_8259 = value;
		return;
	case 0x40:
	case 0x42:
		pit_write(&fake.pit[port - 0x40], value);
		if (port == 0x42)
			fake.clock += fake.jitter = fake.jitter * 3 & 0xFFFFFFF;
		return;
	case 0x43:
		pit_command(value);
		return;
	case 0x61:
		fake.port_61 = value & 0x0F;
		return;
	default:
		fake.faults++;
	}
}

static uint32_t divider(void)
{
	static const uint8_t shifts[] = { 1, 2, 3, 4, 5, 6, 7, 0 };
	uint32_t bits = fake.apic[TRACER_APIC_DIVIDE >> 4];

	return UINT32_C(1) << shifts[(bits & 3) | (bits >> 1 & 4)];
}

static uint32_t apic_count(void)
{
	uint64_t ticks = tracer_scale(fake.clock - fake.count_started, fake.bus_hz, fake.tsc_hz * divider());
	uint32_t initial = fake.apic[TRACER_APIC_INITIAL_COUNT >> 4];

	if (initial == 0 || (fake.apic[TRACER_APIC_LVT_TIMER >> 4] & TRACER_LVT_TSC_DEADLINE))
		return 0;
	if (ticks < initial)
		return initial - (uint32_t)ticks;
	if (!(fake.apic[TRACER_APIC_LVT_TIMER >> 4] & TRACER_LVT_PERIODIC))
		return 0;
	while (ticks >= initial)
		ticks -= initial;
	return initial - (uint32_t)ticks;
}

static uint32_t apic_read(uint32_t offset)
{
	access();
	if (offset == TRACER_APIC_CURRENT_COUNT)
		return apic_count();
	return fake.apic[offset >> 4 & 63];
}

static void apic_write(uint32_t offset, uint32_t value)
{
	access();
	switch (offset) {
	case TRACER_APIC_EOI:
		fake.ends_of_interrupt++;
		CHECK_EQUAL(0, value);
		return;
	case TRACER_APIC_COMMAND:
		fake.broadcasts += value == 0xC4400;
		return;
	case TRACER_APIC_ERROR_STATUS:
		return;
	case TRACER_APIC_INITIAL_COUNT:
		fake.count_started = fake.clock;
		break;
	case TRACER_APIC_LVT_TIMER:
	case TRACER_APIC_LVT_ERROR:
	case TRACER_APIC_LVT_COUNTER:
		/* An APIC that is off keeps its local vectors masked. */
		if (!(fake.apic[TRACER_APIC_SPURIOUS >> 4] & TRACER_APIC_ENABLED))
			value |= TRACER_LVT_MASKED;
		break;
	default:
		break;
	}
	fake.apic[offset >> 4 & 63] = value;
}

uint32_t tracer_hal_apic_read(uint32_t offset)
{
	fake.faults += fake.x2_apic_only;
	return apic_read(offset);
}

void tracer_hal_apic_write(uint32_t offset, uint32_t value)
{
	fake.faults += fake.x2_apic_only;
	apic_write(offset, value);
}

uint64_t tracer_hal_msr_read(uint32_t msr)
{
	access();
	if (msr >= 0x800 && msr < 0x840 && fake.x2_apic_only)
		return apic_read((msr - 0x800) << 4);
	if (msr == 0x1B)
		return fake.apic_base;
	if (msr == 0x6E0 && fake.has_deadline)
		return fake.clock >= fake.deadline ? 0 : fake.deadline;
	if (fake.has_counter) {
		switch (msr) {
		case 0x30A:
			return fake.counter;
		case 0x38D:
			return fake.fixed_control;
		case 0x38E:
			return fake.global_status;
		case 0x38F:
			return fake.global_control;
		default:
			break;
		}
	}
	fake.faults++;
	return 0;
}

void tracer_hal_msr_write(uint32_t msr, uint64_t value)
{
	access();
	if (msr >= 0x800 && msr < 0x840 && fake.x2_apic_only) {
		apic_write((msr - 0x800) << 4, (uint32_t)value);
	} else if (msr == 0x6E0 && fake.has_deadline) {
		fake.deadline = value;
	} else if (fake.has_counter && msr == 0x30A) {
		fake.faults += value >> 48 != 0;
		fake.counter = value;
	} else if (fake.has_counter && msr == 0x38D) {
		fake.fixed_control = value;
	} else if (fake.has_counter && msr == 0x38F) {
		fake.global_control = value;
	} else if (fake.has_counter && msr == 0x390) {
		fake.global_status &= ~value;
	} else {
		fake.faults++;
	}
}

void tracer_hal_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)subleaf;
	registers[0] = registers[1] = registers[2] = registers[3] = 0;
	if (leaf == 0) {
		registers[0] = fake.has_counter ? 0xA : 1;
	} else if (leaf == 1) {
		registers[2] = fake.has_deadline ? 1u << 24 : 0;
		registers[3] = 1u << 5 | (fake.apic_base & 0x800 ? 1u << 9 : 0);
	} else if (leaf == 0xA && fake.has_counter) {
		registers[0] = 2;
		registers[3] = 3 | 48 << 5;
	}
}

static bool is_same(const struct tracer_gate *a, const struct tracer_gate *b)
{
	for (unsigned i = 0; i < sizeof(a->bytes); i++) {
		if (a->bytes[i] != b->bytes[i])
			return false;
	}
	return true;
}

bool tracer_hal_gate_read(uint16_t cpu, uint8_t vector, struct tracer_gate *gate)
{
	if (vector >= FAKE_VECTORS)
		return false;
	*gate = fake.idt[cpu][vector];
	return true;
}

bool tracer_hal_gate_exchange(uint16_t cpu, uint8_t vector, const struct tracer_gate *expected, const struct tracer_gate *wanted)
{
	if (vector >= FAKE_VECTORS || fake.apart[cpu])
		return false;
	if (++fake.exchanges == fake.meddle_at)
		tracer_gate_encode(0x55550000, KERNEL_SELECTOR, 0, sizeof(uintptr_t), &fake.idt[cpu][vector]);
	if (!is_same(&fake.idt[cpu][vector], expected))
		return false;
	fake.idt[cpu][vector] = *wanted;
	return true;
}

void tracer_hal_queue_dpc(uint16_t cpu)
{
	CHECK_EQUAL(fake.cpu, cpu);
	fake.dpcs++;
}

void tracer_hal_wake_thread(uint16_t cpu, unsigned index)
{
	CHECK_EQUAL(fake.cpu, cpu);
	fake.wakes |= 1u << index;
}

void tracer_hal_emit(const struct tracer_record_header *record)
{
	const uint64_t *words = (const void *)record;

	CHECK(record->size % 8 == 0 && record->size <= FAKE_RECORD_BYTES);
	if (fake.record_count >= FAKE_RECORDS || record->size > FAKE_RECORD_BYTES) {
		fake.faults++;
		return;
	}
	for (unsigned i = 0; i < record->size / 8u; i++)
		fake.records[fake.record_count][i] = words[i];
	fake.record_count++;
}

uint32_t tracer_hal_smi_count(void)
{
	return fake.smi_count;
}
