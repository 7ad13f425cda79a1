#include "dpcs.h"

#include "routines.h"

/* Where there is one group only (Wine), the number in it is the processor's. */
_IRQL_requires_(PASSIVE_LEVEL) static PROCESSOR_NUMBER number_of(uint16_t processor)
{
	PROCESSOR_NUMBER number = { .Number = (UCHAR)processor };

	AT_PASSIVE();
	if (routines.processor_number_from_index != NULL)
		routines.processor_number_from_index(processor, &number);
	return number;
}

_IRQL_requires_max_(DISPATCH_LEVEL) ULONG dpcs_processors(void)
{
	AT_MOST_DISPATCH();
	return KeQueryActiveProcessorCountEx(ALL_PROCESSOR_GROUPS);
}

_IRQL_requires_(PASSIVE_LEVEL) void dpcs_prepare(
	PKDPC dpc, PKDEFERRED_ROUTINE routine, PVOID context, KDPC_IMPORTANCE importance, uint16_t processor)
{
	PROCESSOR_NUMBER number;

	AT_PASSIVE();
	number = number_of(processor);
	KeInitializeDpc(dpc, routine, context);
	KeSetImportanceDpc(dpc, importance);
	KeSetTargetProcessorDpcEx(dpc, &number);
}

_IRQL_requires_max_(HIGH_LEVEL) void dpcs_queue(PKDPC dpc)
{
	KeInsertQueueDpc(dpc, NULL, NULL);
}

_IRQL_requires_(PASSIVE_LEVEL) void dpcs_flush(void)
{
	AT_PASSIVE();
	KeFlushQueuedDpcs();
}

_IRQL_requires_(PASSIVE_LEVEL) void dpcs_bind_thread(uint16_t processor)
{
	PROCESSOR_NUMBER number;
	GROUP_AFFINITY affinity;

	AT_PASSIVE();
	number = number_of(processor);
	affinity = (GROUP_AFFINITY){ .Mask = (KAFFINITY)1 << number.Number, .Group = number.Group };
	if (routines.set_group_affinity != NULL)
		routines.set_group_affinity(&affinity, NULL);
	else
		KeSetSystemAffinityThreadEx(affinity.Mask);
}
