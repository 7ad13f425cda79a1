/* Work on a given CPU: each CPU but the first has a thread that waits for some. */
#include "measurement.h"

#define POLL_NS UINT64_C(1000000)

static bool (*volatile work[KI_MAX_CPUS])(uint32_t cpu);
static volatile bool answers[KI_MAX_CPUS];

static void worker(void)
{
	uint32_t cpu = KiCurrentCpu();

	for (;;) {
		bool (*routine)(uint32_t) = __atomic_load_n(&work[cpu], __ATOMIC_ACQUIRE);
		if (routine != NULL) {
			answers[cpu] = routine(cpu);
			__atomic_store_n(&work[cpu], NULL, __ATOMIC_RELEASE);
		}
		KeDelayExecutionThread(POLL_NS);
	}
}

void each_cpu_prepare(void)
{
	for (uint32_t cpu = 1; cpu < ki_boot->cpus; cpu++)
		KiCreateThread(cpu, worker, MEASURING_PRIORITY);
}

bool each_cpu(bool (*routine)(uint32_t cpu))
{
	bool all = routine(0);

	for (uint32_t cpu = 1; cpu < ki_boot->cpus; cpu++) {
		__atomic_store_n(&work[cpu], routine, __ATOMIC_RELEASE);
		while (__atomic_load_n(&work[cpu], __ATOMIC_ACQUIRE) != NULL)
			KeDelayExecutionThread(POLL_NS);
		all &= answers[cpu];
	}
	return all;
}
