/* TracerLatency.sys on the fake kernel: each way through it, with everything that can come between. */
#include "driver_calls.h"

void driver_tests(void)
{
	life_tests();
	read_tests();
	power_tests();
	machine_tests();
	chaos_tests();
}
