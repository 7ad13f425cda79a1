/*
 * Prints the layout of every structure in kdriver/include, the value of every constant, and records filled with known values, for
 * tests/contract/driver/DriverLayoutTests.cs to compare with the C# side. Lines: "struct NAME BYTES", "field STRUCT NAME OFFSET BYTES",
 * "constant NAME VALUE", "sample STRUCT HEX".
 */
#include <stdio.h>

#include "tracer_ioctl.h"

#define STRUCT(name) printf("struct %s %zu\n", #name, sizeof(struct name))
#define FIELD(name, field) \
	printf("field %s %s %zu %zu\n", #name, #field, offsetof(struct name, field), sizeof(((struct name *)0)->field))
#define CONSTANT(name) printf("constant %s %llu\n", #name, (unsigned long long)(name))
#define LIMIT(name) printf("constant limit:%s %llu\n", #name, (unsigned long long)(name))

static void print_records(void)
{
	STRUCT(tracer_record_header);
	FIELD(tracer_record_header, type);
	FIELD(tracer_record_header, size);
	FIELD(tracer_record_header, cpu);
	FIELD(tracer_record_header, reserved);

	STRUCT(tracer_start);
	FIELD(tracer_start, header);
	FIELD(tracer_start, clock_hz);
	FIELD(tracer_start, threshold_ns);
	FIELD(tracer_start, period_ns);
	FIELD(tracer_start, floor_ns);
	FIELD(tracer_start, capabilities);
	FIELD(tracer_start, mode);
	FIELD(tracer_start, clock);
	FIELD(tracer_start, priority_count);
	FIELD(tracer_start, reserved);
	FIELD(tracer_start, priorities);

	STRUCT(tracer_clock_sync);
	FIELD(tracer_clock_sync, header);
	FIELD(tracer_clock_sync, clock);
	FIELD(tracer_clock_sync, qpc);

	STRUCT(tracer_wakeup);
	FIELD(tracer_wakeup, header);
	FIELD(tracer_wakeup, sequence);
	FIELD(tracer_wakeup, expected);
	FIELD(tracer_wakeup, isr);
	FIELD(tracer_wakeup, dpc);
	FIELD(tracer_wakeup, thread);
	FIELD(tracer_wakeup, interrupted_ip);
	FIELD(tracer_wakeup, interrupted_cs);
	FIELD(tracer_wakeup, mode);
	FIELD(tracer_wakeup, priority);
	FIELD(tracer_wakeup, timer_cpu);
	FIELD(tracer_wakeup, reserved);
	FIELD(tracer_wakeup, tick);
	FIELD(tracer_wakeup, callback);
	FIELD(tracer_wakeup, queued);

	STRUCT(tracer_episode_begin);
	FIELD(tracer_episode_begin, header);
	FIELD(tracer_episode_begin, latency_ns);
	FIELD(tracer_episode_begin, episode);
	FIELD(tracer_episode_begin, reserved);

	STRUCT(tracer_pit_sample);
	FIELD(tracer_pit_sample, header);
	FIELD(tracer_pit_sample, ip);
	FIELD(tracer_pit_sample, clock);
	FIELD(tracer_pit_sample, flags);
	FIELD(tracer_pit_sample, episode);
	FIELD(tracer_pit_sample, index);
	FIELD(tracer_pit_sample, cs);
	FIELD(tracer_pit_sample, source);
	FIELD(tracer_pit_sample, caller_count);
	FIELD(tracer_pit_sample, reserved);
	FIELD(tracer_pit_sample, callers);

	STRUCT(tracer_episode_end);
	FIELD(tracer_episode_end, header);
	FIELD(tracer_episode_end, overwritten);
	FIELD(tracer_episode_end, episode);
	FIELD(tracer_episode_end, samples);
	FIELD(tracer_episode_end, smi_count);
	FIELD(tracer_episode_end, reserved);

	STRUCT(tracer_stop);
	FIELD(tracer_stop, header);
	FIELD(tracer_stop, probes);
	FIELD(tracer_stop, dropped);

	STRUCT(tracer_timer_state);
	FIELD(tracer_timer_state, header);
	FIELD(tracer_timer_state, clock);
	FIELD(tracer_timer_state, floor_ns);
	FIELD(tracer_timer_state, tick_ns);
	FIELD(tracer_timer_state, own_ns);
	FIELD(tracer_timer_state, run_ns);
	FIELD(tracer_timer_state, late_timers);
	FIELD(tracer_timer_state, discarded);
	FIELD(tracer_timer_state, unmeasured_cpus);
	FIELD(tracer_timer_state, reserved);

	STRUCT(tracer_module);
	FIELD(tracer_module, header);
	FIELD(tracer_module, base);
	FIELD(tracer_module, image_bytes);
	FIELD(tracer_module, timestamp);
	FIELD(tracer_module, checksum);
	FIELD(tracer_module, pdb_age);
	FIELD(tracer_module, pdb_guid);
	FIELD(tracer_module, name);
	FIELD(tracer_module, pdb_name);
}

static void print_interface(void)
{
	STRUCT(tracer_abi);
	FIELD(tracer_abi, version);
	FIELD(tracer_abi, size);

	STRUCT(tracer_start_request);
	FIELD(tracer_start_request, abi);
	FIELD(tracer_start_request, threshold_ns);
	FIELD(tracer_start_request, period_ns);
	FIELD(tracer_start_request, pre_samples);
	FIELD(tracer_start_request, post_samples);
	FIELD(tracer_start_request, cool_down_ms);
	FIELD(tracer_start_request, mode);
	FIELD(tracer_start_request, priority_count);
	FIELD(tracer_start_request, flags);
	FIELD(tracer_start_request, priorities);

	STRUCT(tracer_status);
	FIELD(tracer_status, abi);
	FIELD(tracer_status, state);
	FIELD(tracer_status, refusal);
	FIELD(tracer_status, capabilities);
	FIELD(tracer_status, cpus);
	FIELD(tracer_status, mode);
	FIELD(tracer_status, clock);
	FIELD(tracer_status, clock_hz);
	FIELD(tracer_status, threshold_ns);
	FIELD(tracer_status, period_ns);
	FIELD(tracer_status, floor_ns);
	FIELD(tracer_status, probes);
	FIELD(tracer_status, over_threshold);
	FIELD(tracer_status, worst_ns);
	FIELD(tracer_status, dropped);
	FIELD(tracer_status, events_logged);
	FIELD(tracer_status, tick_ns);
	FIELD(tracer_status, own_ns);
	FIELD(tracer_status, run_ns);
	FIELD(tracer_status, late_timers);
	FIELD(tracer_status, discarded);
	FIELD(tracer_status, longest_lock_ns);
	FIELD(tracer_status, timer_cpu);
	FIELD(tracer_status, unmeasured_cpus);
	FIELD(tracer_status, reserved);

	STRUCT(tracer_read_batch);
	FIELD(tracer_read_batch, abi);
	FIELD(tracer_read_batch, records);
	FIELD(tracer_read_batch, reserved);
	FIELD(tracer_read_batch, dropped);

	STRUCT(tracer_histogram_request);
	FIELD(tracer_histogram_request, abi);
	FIELD(tracer_histogram_request, phase);
	FIELD(tracer_histogram_request, cpu);
	FIELD(tracer_histogram_request, priority);
	FIELD(tracer_histogram_request, reserved);

	STRUCT(tracer_histogram);
	FIELD(tracer_histogram, abi);
	FIELD(tracer_histogram, total);
	FIELD(tracer_histogram, max_ns);
	FIELD(tracer_histogram, buckets);
}

static void print_constants(void)
{
	CONSTANT(TRACER_RECORD_START);
	CONSTANT(TRACER_RECORD_CLOCK_SYNC);
	CONSTANT(TRACER_RECORD_WAKEUP);
	CONSTANT(TRACER_RECORD_EPISODE_BEGIN);
	CONSTANT(TRACER_RECORD_PIT_SAMPLE);
	CONSTANT(TRACER_RECORD_EPISODE_END);
	CONSTANT(TRACER_RECORD_STOP);
	CONSTANT(TRACER_RECORD_MODULE);
	CONSTANT(TRACER_RECORD_TIMER_STATE);

	CONSTANT(TRACER_MODE_APIC);
	CONSTANT(TRACER_MODE_TIMER);
	CONSTANT(TRACER_MODE_WAKEUP);

	CONSTANT(TRACER_CLOCK_TSC);
	CONSTANT(TRACER_CLOCK_QPC);

	CONSTANT(TRACER_SAMPLE_PIT);
	CONSTANT(TRACER_SAMPLE_NMI);
	CONSTANT(TRACER_SAMPLE_LATENCY_ISR);

	CONSTANT(TRACER_CAN_TIMER_HIGH_RESOLUTION);
	CONSTANT(TRACER_CAN_LOG_EVENTS);
	CONSTANT(TRACER_CAN_COUNT_SMI);
	CONSTANT(TRACER_CAN_APIC);
	CONSTANT(TRACER_CAN_SAMPLE_PIT);
	CONSTANT(TRACER_CAN_SAMPLE_NMI);

	CONSTANT(TRACER_REFUSAL_NONE);
	CONSTANT(TRACER_REFUSAL_RUNNING);
	CONSTANT(TRACER_REFUSAL_THRESHOLD);
	CONSTANT(TRACER_REFUSAL_PERIOD);
	CONSTANT(TRACER_REFUSAL_PRIORITIES);
	CONSTANT(TRACER_REFUSAL_NOT_LABORATORY);
	CONSTANT(TRACER_REFUSAL_PATCH_GUARD);
	CONSTANT(TRACER_REFUSAL_HVCI);
	CONSTANT(TRACER_REFUSAL_HYPERVISOR);
	CONSTANT(TRACER_REFUSAL_X2_APIC);
	CONSTANT(TRACER_REFUSAL_KVA_SHADOW);
	CONSTANT(TRACER_REFUSAL_GATE);
	CONSTANT(TRACER_REFUSAL_CALIBRATION);
	CONSTANT(TRACER_REFUSAL_RESOURCES);
	CONSTANT(TRACER_REFUSAL_CPUS);
	CONSTANT(TRACER_REFUSAL_SAMPLER);
	CONSTANT(TRACER_REFUSAL_POWER);
	CONSTANT(TRACER_REFUSAL_NO_TIMER);
	CONSTANT(TRACER_REFUSAL_VERIFIER);
	CONSTANT(TRACER_REFUSAL_PROTECTION);

	CONSTANT(TRACER_ANSWER_DONE);
	CONSTANT(TRACER_ANSWER_PENDING);
	CONSTANT(TRACER_ANSWER_MISALIGNED);
	CONSTANT(TRACER_ANSWER_LENGTH_MISMATCH);
	CONSTANT(TRACER_ANSWER_INVALID_PARAMETER);
	CONSTANT(TRACER_ANSWER_UNKNOWN_CODE);
	CONSTANT(TRACER_ANSWER_BUFFER_TOO_SMALL);
	CONSTANT(TRACER_ANSWER_REVISION_MISMATCH);
	CONSTANT(TRACER_ANSWER_REFUSED);
	CONSTANT(TRACER_ANSWER_CANCELLED);
	CONSTANT(TRACER_ANSWER_NOT_RUNNING);

	CONSTANT(TRACER_START_ALL_WAKEUPS);
	CONSTANT(TRACER_START_STAY);

	CONSTANT(TRACER_STATE_STOPPED);
	CONSTANT(TRACER_STATE_RUNNING);

	CONSTANT(TRACER_PHASE_INTERRUPT);
	CONSTANT(TRACER_PHASE_DPC);
	CONSTANT(TRACER_PHASE_THREAD);
	CONSTANT(TRACER_PHASE_TOTAL);
	CONSTANT(TRACER_PHASE_REFERENCE);
	CONSTANT(TRACER_PHASE_TIMER);

	CONSTANT(TRACER_IOCTL_STATUS);
	CONSTANT(TRACER_IOCTL_START);
	CONSTANT(TRACER_IOCTL_STOP);
	CONSTANT(TRACER_IOCTL_READ);
	CONSTANT(TRACER_IOCTL_HISTOGRAM);

	LIMIT(TRACER_ABI_VERSION);
	LIMIT(TRACER_MAX_PRIORITIES);
	LIMIT(TRACER_MAX_CALLERS);
	LIMIT(TRACER_NAME_BYTES);
	LIMIT(TRACER_MAX_RECORD_BYTES);
	LIMIT(TRACER_READ_LEAST_BYTES);
	LIMIT(TRACER_LONGEST_PERIOD_NS);
	LIMIT(TRACER_SMI_NOT_READ);
	LIMIT(TRACER_ALL_CPUS);
	LIMIT(TRACER_HISTOGRAM_BUCKETS);
}

static void print_sample(const char *name, const void *record, size_t bytes)
{
	printf("sample %s ", name);
	for (size_t i = 0; i < bytes; i++)
		printf("%02x", ((const unsigned char *)record)[i]);
	printf("\n");
}

static void print_samples(void)
{
	struct tracer_wakeup wakeup = {
		.header = { .type = TRACER_RECORD_WAKEUP, .size = sizeof(wakeup), .cpu = 3 },
		.sequence = 0x1122334455667788u,
		.expected = 1000,
		.isr = 0,
		.dpc = 3000,
		.thread = 4000,
		.interrupted_ip = 0xFFFFF80612345678u,
		.interrupted_cs = 0x10,
		.mode = TRACER_MODE_TIMER,
		.priority = 28,
	};
	struct tracer_pit_sample sample = {
		.header = { .type = TRACER_RECORD_PIT_SAMPLE, .size = TRACER_PIT_SAMPLE_BYTES(2), .cpu = 1 },
		.ip = 0xFFFFF80600000000u,
		.clock = 5000,
		.flags = 0x246,
		.episode = 7,
		.index = 9,
		.cs = 0x10,
		.source = TRACER_SAMPLE_NMI,
		.caller_count = 2,
		.callers = { 0xFFFFF80600000001u, 0xFFFFF80600000002u },
	};

	print_sample("tracer_wakeup", &wakeup, sizeof(wakeup));
	print_sample("tracer_pit_sample", &sample, sizeof(sample));
}

int main(void)
{
	print_records();
	print_interface();
	print_constants();
	print_samples();
	return 0;
}
