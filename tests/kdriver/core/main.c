#include "checks.h"

int main(void)
{
	clock_tests();
	histogram_tests();
	ring_tests();
	pit_tests();
	apic_tests();
	gate_tests();
	nmi_tests();
	episode_tests();
	probe_tests();
	grid_tests();
	timer_tests();
	walk_tests();
	stub_tests();
	queue_tests();
	device_tests();
	event_tests();
	lab_tests();
	return failures();
}
