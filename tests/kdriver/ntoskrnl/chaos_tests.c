/* Everything at once. */
#include "driver_calls.h"

#include <stdio.h>

#define MEAN_SEEDS 2

/* Programs that do what they like, while the power comes and goes and the service is stopped. */
static void read_and_cancel(void *context)
{
	uint8_t output[2][1024];
	struct request requests[2];
	bool waits[2];
	PFILE_OBJECT file;
	struct tracer_abi request = { TRACER_ABI_VERSION, sizeof(request) };

	(void)context;
	while (!is_over) {
		file = user_opens();
		if (file == NULL)
			break;
		for (unsigned i = 0; i < 12; i++) {
			waits[0] = user_begins_control(file, TRACER_IOCTL_READ, &request, sizeof(request), output[0], sizeof(output[0]),
				&requests[0]) == STATUS_PENDING;
			waits[1] = user_begins_read(file, output[1], 24, &requests[1]) == STATUS_PENDING;
			user_sleeps(draw(6 * MS));
			for (unsigned k = 0; k < 2 && draw(8) != 0; k++) {
				if (waits[k] && draw(2) == 0)
					user_cancels(&requests[k]);
				else if (waits[k] && i == 11)
					continue; /* the close ends it */
				else if (waits[k] && draw(2) == 0)
					user_cancels(&requests[k]);
			}
			if (i < 11) {
				for (unsigned k = 0; k < 2; k++) {
					user_cancels(&requests[k]);
					user_awaits(&requests[k]);
				}
			}
		}
		user_closes(file);
		for (unsigned k = 0; k < 2; k++)
			CHECK(requests[k].irp == NULL);
	}
}

static unsigned starts;

static void start_and_stop(void *context)
{
	(void)context;
	for (unsigned i = 0; i < 6; i++) {
		uint16_t flags = draw(2) == 0 ? TRACER_START_ALL_WAKEUPS : TRACER_START_STAY;
		PFILE_OBJECT file = user_opens();

		if (file == NULL)
			break;
		if (start_with(file, flags, (1 + draw(8)) * MS, 1 + (uint8_t)draw(2)) == 0) {
			starts++;
			user_sleeps(draw(50 * MS));
			status_of(file);
		}
		user_sleeps(50 * MS);
		if (draw(2) == 0)
			stop(file);
		user_closes(file);
	}
}

static void change_power(void *context)
{
	(void)context;
	while (!is_over) {
		user_sleeps(draw(3 * SECOND));
		user_changes_power(false, draw(2) == 0);
		user_sleeps(draw(3 * MS));
		if (draw(3) == 0)
			now_ns += HOUR; /* nobody runs meanwhile */
		user_changes_power(true, draw(2) == 0);
		user_changes_power_setting(&display_state, draw(2) == 0 ? DISPLAY_OFF : DISPLAY_ON);
		if (draw(4) == 0 && active_processors < setup.processors + 2)
			user_adds_processor();
		user_sleeps(draw(100 * MS));
		user_changes_power_setting(&display_state, DISPLAY_ON);
		setup.clock_owner = (unsigned)draw(active_processors);
		user_masks((unsigned)draw(active_processors), draw(2 * MS));
		is_session_on = draw(2) == 0;
	}
}

static void chaos_once(void)
{
	static const uint64_t ticks[] = { MS, MS / 2, 0, 15625000 };
	struct fake_fiber *threads[4];

	setup.tick_ns = ticks[draw(4)];
	active_processors = 1 + (unsigned)draw(setup.processors);
	setup.clock_owner = (unsigned)draw(active_processors);
	CHECK(NT_SUCCESS(user_loads()));
	deadline_ns = now_ns + 100 * HOUR;
	is_over = false;
	threads[0] = user_thread("reader", 8, read_and_cancel, NULL);
	threads[1] = user_thread("second reader", 9, read_and_cancel, NULL);
	threads[2] = user_thread("starter", 10, start_and_stop, NULL);
	threads[3] = user_thread("power", 8, change_power, NULL);
	if (draw(2) == 0)
		user_joins(threads[2]);
	else
		user_sleeps(draw(4 * SECOND));
	if (draw(2) == 0)
		user_unloads(); /* in the midst: the last handle ends it */
	user_joins(threads[2]);
	is_over = true;
	for (unsigned i = 0; i < 4; i++)
		user_joins(threads[i]);
	if (user_is_loaded())
		CHECK(NT_SUCCESS(user_unloads()));
	CHECK(!user_is_loaded());
}

static void chaos(void)
{
	starts = 0;
	run_seeds(more_seeds(MEAN_SEEDS), 100, chaos_once);
	printf("# %u starts\n", starts);
	CHECK(starts > 0);
}

void chaos_tests(void)
{
	run_test("readers, starts, stops, sleep, closes, an unload in the midst", chaos);
}
