#include "each_cpu.h"

_IRQL_requires_(PASSIVE_LEVEL) void on_cpu(uint16_t cpu, void (*function)(uint16_t cpu, void *context), void *context)
{
	KAFFINITY before;

	AT_PASSIVE();
	before = KeSetSystemAffinityThreadEx((KAFFINITY)1 << cpu);
	if (function != NULL)
		function(cpu, context);
	KeRevertToUserAffinityThreadEx(before);
}

_IRQL_requires_(PASSIVE_LEVEL) void on_each_cpu(uint16_t cpus, void (*function)(uint16_t cpu, void *context), void *context)
{
	AT_PASSIVE();
	for (uint16_t cpu = 0; cpu < cpus; cpu++)
		on_cpu(cpu, function, context);
}
