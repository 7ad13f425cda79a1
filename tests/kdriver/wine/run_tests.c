#include "device.h"

#include <string.h>

#define RUN_MS 600u
#define LONGEST_LATENCY_S 60u
#define MOST_CPUS 64u
#define PRIORITIES 32u

/* What the records of a run said. */
struct seen {
	unsigned starts;
	unsigned syncs;
	unsigned wakeups;
	unsigned states;
	unsigned stops;
	unsigned others;
	uint64_t last_sequence[MOST_CPUS][PRIORITIES]; /* CPUs write theirs at the same time: in order are each one's own */
	struct tracer_start start;
	struct tracer_timer_state state; /* the last one */
	struct tracer_stop stop;
};

static uint8_t batch[BUFFER_BYTES];
static struct seen seen;

static void see_wakeup(const struct tracer_wakeup *wakeup)
{
	uint64_t *last = &seen.last_sequence[wakeup->header.cpu % MOST_CPUS][wakeup->priority % PRIORITIES];

	seen.wakeups++;
	CHECK(wakeup->header.cpu < MOST_CPUS);
	CHECK(wakeup->sequence > *last);
	*last = wakeup->sequence;
	CHECK_EQUAL(TRACER_MODE_TIMER, wakeup->mode);
	CHECK_EQUAL(0, wakeup->isr);
	CHECK(wakeup->priority == 28 || wakeup->priority == 24);
	CHECK(wakeup->expected <= wakeup->callback && wakeup->callback <= wakeup->queued);
	CHECK(wakeup->queued <= wakeup->dpc && wakeup->dpc <= wakeup->thread);
	CHECK(wakeup->tick == 0 || (wakeup->tick >= wakeup->expected && wakeup->tick <= wakeup->callback));
	CHECK(wakeup->timer_cpu < MOST_CPUS);
	CHECK(wakeup->thread - wakeup->expected < LONGEST_LATENCY_S * seen.start.clock_hz);
}

static void see(const uint8_t *record, const struct tracer_record_header *header)
{
	struct tracer_wakeup wakeup;

	switch (header->type) {
	case TRACER_RECORD_START:
		CHECK_EQUAL(0, seen.starts + seen.syncs + seen.wakeups + seen.states + seen.stops);
		CHECK_EQUAL(sizeof(seen.start), header->size);
		memcpy(&seen.start, record, sizeof(seen.start));
		seen.starts++;
		break;
	case TRACER_RECORD_CLOCK_SYNC:
		CHECK_EQUAL(sizeof(struct tracer_clock_sync), header->size);
		seen.syncs++;
		break;
	case TRACER_RECORD_WAKEUP:
		CHECK_EQUAL(sizeof(wakeup), header->size);
		memcpy(&wakeup, record, sizeof(wakeup));
		see_wakeup(&wakeup);
		break;
	case TRACER_RECORD_TIMER_STATE:
		CHECK_EQUAL(sizeof(seen.state), header->size);
		memcpy(&seen.state, record, sizeof(seen.state));
		CHECK_EQUAL(seen.start.floor_ns, seen.state.floor_ns);
		seen.states++;
		break;
	case TRACER_RECORD_STOP:
		CHECK_EQUAL(sizeof(seen.stop), header->size);
		memcpy(&seen.stop, record, sizeof(seen.stop));
		seen.stops++;
		break;
	default:
		seen.others++;
		break;
	}
}

/* Reads one batch; false at the end of the run's records. */
static bool read_batch(HANDLE device)
{
	struct tracer_read_batch head;
	struct tracer_record_header header;
	DWORD written, at = sizeof(head);
	DWORD error = send_request(device, TRACER_IOCTL_READ, &plain_request, sizeof(plain_request), batch, sizeof(batch), &written);

	if (error == ERROR_BAD_COMMAND)
		return false;
	CHECK_EQUAL(0, error);
	if (error != 0)
		return false;
	memcpy(&head, batch, sizeof(head));
	CHECK_EQUAL(written, head.abi.size);
	CHECK(head.records > 0);
	for (uint32_t i = 0; i < head.records; i++) {
		memcpy(&header, batch + at, sizeof(header));
		if (at + sizeof(header) > written || header.size < sizeof(header) || at + header.size > written)
			break;
		see(batch + at, &header);
		at += header.size;
	}
	CHECK_EQUAL(written, at);
	return true;
}

static void records_every_wakeup(void)
{
	HANDLE device = open_device();
	struct tracer_status status;
	DWORD begun;

	memset(&seen, 0, sizeof(seen));
	CHECK_EQUAL(0, send_request(device, TRACER_IOCTL_START, &usual_run, sizeof(usual_run), &status, sizeof(status), NULL));
	CHECK_EQUAL(TRACER_STATE_RUNNING, status.state);
	/* Wine's timers are late by hundreds of milliseconds on a busy machine: until there is something to count. */
	begun = GetTickCount();
	while ((GetTickCount() - begun < RUN_MS || (seen.wakeups <= 20 && GetTickCount() - begun < PATIENCE_MS)) && read_batch(device))
		;
	stop_run(device);
	status = status_of(device);
	while (seen.stops == 0 && read_batch(device))
		;
	CHECK(!read_batch(device));
	CHECK_EQUAL(1, seen.starts);
	CHECK_EQUAL(1, seen.stops);
	CHECK(seen.syncs >= 2);
	CHECK(seen.states >= 2);
	CHECK(seen.start.floor_ns > 0 && seen.start.floor_ns <= seen.start.threshold_ns / 2);
	CHECK(seen.state.run_ns > 0 && seen.state.own_ns > 0);
	CHECK_EQUAL(status.floor_ns, seen.start.floor_ns);
	CHECK(seen.wakeups > 20);
	CHECK_EQUAL(TRACER_CLOCK_QPC, seen.start.clock);
	CHECK_EQUAL(status.probes, seen.stop.probes);
	CHECK_EQUAL(status.probes, seen.wakeups + seen.stop.dropped);
	note("%u wake-ups in %lu ms, %llu dropped, worst %llu us", seen.wakeups, GetTickCount() - begun, (unsigned long long)status.dropped,
		(unsigned long long)status.worst_ns / 1000);
	CloseHandle(device);
}

/* Waits until a run has had more wake-ups than so many; gives how many. */
static uint64_t probes_beyond(HANDLE device, uint64_t probes)
{
	DWORD begun = GetTickCount();
	uint64_t now;

	while ((now = status_of(device).probes) <= probes && GetTickCount() - begun < PATIENCE_MS)
		Sleep(50);
	return now;
}

static void counts_what_it_records(void)
{
	static struct tracer_histogram histogram;
	struct tracer_histogram_request request = {
		.abi = { TRACER_ABI_VERSION, sizeof(request) }, .phase = TRACER_PHASE_TOTAL, .cpu = TRACER_ALL_CPUS
	};
	HANDLE device = open_device();
	struct tracer_status status;
	uint64_t sum = 0;

	CHECK_EQUAL(0, send_request(device, TRACER_IOCTL_START, &usual_run, sizeof(usual_run), &status, sizeof(status), NULL));
	probes_beyond(device, 0);
	CHECK_EQUAL(0, send_request(device, TRACER_IOCTL_HISTOGRAM, &request, sizeof(request), &histogram, sizeof(histogram), NULL));
	for (unsigned i = 0; i < TRACER_HISTOGRAM_BUCKETS; i++)
		sum += histogram.buckets[i];
	status = status_of(device);
	CHECK_EQUAL(histogram.total, sum);
	CHECK(histogram.total > 0 && histogram.total <= status.probes);
	CHECK(histogram.max_ns > 0 && histogram.max_ns <= status.worst_ns);
	stop_run(device);
	CloseHandle(device);
}

/* A run belongs to the device: it goes on without a handle. */
static void goes_on_without_a_handle(void)
{
	HANDLE device = open_device();
	struct tracer_status status;
	uint64_t probes;

	CHECK_EQUAL(0, send_request(device, TRACER_IOCTL_START, &usual_run, sizeof(usual_run), &status, sizeof(status), NULL));
	CloseHandle(device);
	Sleep(100);
	device = open_device();
	status = status_of(device);
	CHECK_EQUAL(TRACER_STATE_RUNNING, status.state);
	probes = status.probes;
	CHECK(probes_beyond(device, probes) > probes);
	stop_run(device);
	CloseHandle(device);
}

/* The paper's time stamps: armed, DPC, thread, in the buffer of a ReadFile. */
static void stamps_a_read(void)
{
	HANDLE device = open_device();
	struct tracer_status status;
	OVERLAPPED overlapped = { .hEvent = CreateEventW(NULL, TRUE, FALSE, NULL) };
	uint64_t stamps[3] = { 0 };
	DWORD written = 0;

	CHECK(!ReadFile(device, stamps, sizeof(stamps), NULL, &overlapped) && GetLastError() == ERROR_BAD_COMMAND);
	CHECK_EQUAL(0, send_request(device, TRACER_IOCTL_START, &usual_run, sizeof(usual_run), &status, sizeof(status), NULL));
	ResetEvent(overlapped.hEvent);
	CHECK(ReadFile(device, stamps, sizeof(stamps), NULL, &overlapped) || GetLastError() == ERROR_IO_PENDING);
	CHECK_EQUAL(WAIT_OBJECT_0, WaitForSingleObject(overlapped.hEvent, 20000));
	CHECK(GetOverlappedResult(device, &overlapped, &written, FALSE));
	CHECK_EQUAL(sizeof(stamps), written);
	CHECK(stamps[0] != 0 && stamps[0] <= stamps[1] && stamps[1] <= stamps[2]);
	stop_run(device);
	CloseHandle(overlapped.hEvent);
	CloseHandle(device);
}

void run_tests(void)
{
	run_test("timer mode records every wake-up, from its start to its stop", records_every_wakeup);
	run_test("the histogram counts what was measured", counts_what_it_records);
	run_test("a run goes on without a handle", goes_on_without_a_handle);
	run_test("a read of the file gives the paper's three time stamps", stamps_a_read);
}
