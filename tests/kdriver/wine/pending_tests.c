#include "device.h"

/* A run whose wake-ups are few and whose records are fewer: reads of it wait. */
static HANDLE open_with_quiet_run(void)
{
	HANDLE device = open_device();
	struct tracer_start_request quiet = usual_run;
	struct tracer_status status;

	quiet.threshold_ns = 5000000000;
	quiet.period_ns = 5000000000;
	quiet.flags = 0;
	CHECK_EQUAL(0, send_request(device, TRACER_IOCTL_START, &quiet, sizeof(quiet), &status, sizeof(status), NULL));
	return device;
}

static void cancels_a_read(void)
{
	static struct pending_request request;
	HANDLE device = open_with_quiet_run();

	CHECK(read_until_waiting(device, &request));
	CHECK(CancelIoEx(device, &request.overlapped));
	CHECK_EQUAL(ERROR_OPERATION_ABORTED, finish_read(device, &request, 20000, NULL));
	CHECK(read_until_waiting(device, &request));
	CHECK(CancelIoEx(device, NULL));
	CHECK_EQUAL(ERROR_OPERATION_ABORTED, finish_read(device, &request, 20000, NULL));
	stop_run(device);
	CloseHandle(device);
}

/* The handle goes while its read waits; another handle's read stays. */
static void cancels_the_reads_of_a_closed_handle(void)
{
	static struct pending_request closed, kept;
	HANDLE device = open_with_quiet_run();
	HANDLE other = open_device();

	CHECK(read_until_waiting(device, &closed));
	CHECK_EQUAL(ERROR_IO_PENDING, begin_read(other, &kept));
	CloseHandle(device);
	CHECK_EQUAL(WAIT_OBJECT_0, WaitForSingleObject(closed.overlapped.hEvent, 20000));
	forget_read(&closed);
	CHECK_EQUAL(TRACER_STATE_RUNNING, status_of(other).state);
	stop_run(other);
	/* The run's last records end the other's wait. */
	CHECK_EQUAL(0, finish_read(other, &kept, 20000, NULL));
	CloseHandle(other);
}

static void answers_in_the_order_of_the_reads(void)
{
	static struct pending_request first, second;
	HANDLE device = open_with_quiet_run();

	CHECK(read_until_waiting(device, &first));
	CHECK_EQUAL(ERROR_IO_PENDING, begin_read(device, &second));
	stop_run(device);
	CHECK_EQUAL(0, finish_read(device, &first, 20000, NULL));
	/* The rest of the run's records, or the word that there are none. */
	CHECK(finish_read(device, &second, 20000, NULL) != WAIT_TIMEOUT);
	CloseHandle(device);
}

/* Where the machine is slow, a record of the run comes meanwhile and answers the first ones; all others are cancelled. */
static void cancels_many_reads(void)
{
	enum { READS = 64, MOST_ANSWERED = 4 };
	static struct pending_request requests[READS];
	HANDLE device = open_with_quiet_run();
	unsigned answered = 0;

	CHECK(read_until_waiting(device, &requests[0]));
	for (unsigned i = 1; i < READS; i++)
		CHECK_EQUAL(ERROR_IO_PENDING, begin_read(device, &requests[i]));
	CHECK(CancelIoEx(device, NULL));
	for (unsigned i = 0; i < READS; i++) {
		DWORD error = finish_read(device, &requests[i], 20000, NULL);

		if (error == 0 && answered == i && answered < MOST_ANSWERED)
			answered++;
		else
			CHECK_EQUAL(ERROR_OPERATION_ABORTED, error);
	}
	stop_run(device);
	CloseHandle(device);
}

void pending_tests(void)
{
	run_test("a read that waits is cancelled", cancels_a_read);
	run_test("a handle closed with a read waiting cancels it, and no other's", cancels_the_reads_of_a_closed_handle);
	run_test("reads that wait are answered in their order", answers_in_the_order_of_the_reads);
	run_test("64 reads that wait are cancelled", cancels_many_reads);
}
