/* The clocks that a driver reads, and the processors that it asks about. */
#include "machine.h"

LARGE_INTEGER KeQueryPerformanceCounter(PLARGE_INTEGER hz)
{
	ROUTINE(ANY_LEVEL);
	if (hz != NULL)
		hz->QuadPart = (LONGLONG)QPC_HZ;
	return (LARGE_INTEGER){ .QuadPart = (LONGLONG)(now_ns / (SECOND / QPC_HZ)) };
}

ULONGLONG KeQueryInterruptTime(void)
{
	ROUTINE(ANY_LEVEL);
	return now_ns / 100;
}

uint64_t slept_ns;

ULONGLONG KeQueryUnbiasedInterruptTime(void)
{
	ROUTINE(ANY_LEVEL);
	return (now_ns - slept_ns) / 100;
}

ULONG KeQueryTimeIncrement(void)
{
	ROUTINE(ANY_LEVEL);
	return 156250;
}

void KeStallExecutionProcessor(ULONG microseconds)
{
	ROUTINE(ANY_LEVEL);
	busy((uint64_t)microseconds * 1000);
}

static unsigned first_of(USHORT group)
{
	return group == 0 ? 0 : setup.in_first_group + (group - 1u) * MAXIMUM_PROCESSORS;
}

static unsigned count_of(USHORT group)
{
	unsigned most = group == 0 ? setup.in_first_group : MAXIMUM_PROCESSORS, first = first_of(group);
	unsigned left = first < active_processors ? active_processors - first : 0;

	if (group == ALL_PROCESSOR_GROUPS)
		return active_processors;
	return left < most ? left : most;
}

ULONG KeQueryActiveProcessorCountEx(USHORT group)
{
	ROUTINE(ANY_LEVEL);
	return count_of(group);
}

ULONG KeQueryMaximumProcessorCountEx(USHORT group)
{
	ROUTINE(ANY_LEVEL);
	return group == ALL_PROCESSOR_GROUPS ? MOST_PROCESSORS : MAXIMUM_PROCESSORS;
}

USHORT KeQueryActiveGroupCount(void)
{
	ROUTINE(ANY_LEVEL);
	USHORT count = 1;

	while (count_of(count) > 0)
		count++;
	return count;
}

static void number_of(unsigned index, PPROCESSOR_NUMBER number)
{
	USHORT group =
		index < setup.in_first_group ? 0 : (USHORT)(1 + (index - setup.in_first_group) / MAXIMUM_PROCESSORS);

	*number = (PROCESSOR_NUMBER){ .Group = group, .Number = (UCHAR)(index - first_of(group)) };
}

ULONG KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER number)
{
	unsigned here = processor_number();

	ROUTINE(ANY_LEVEL);
	if (number != NULL)
		number_of(here, number);
	return here;
}

NTSTATUS KeGetProcessorNumberFromIndex(ULONG index, PPROCESSOR_NUMBER number)
{
	ROUTINE(ANY_LEVEL);
	if (index >= active_processors)
		return STATUS_INVALID_PARAMETER;
	number_of(index, number);
	return STATUS_SUCCESS;
}

ULONG KeGetProcessorIndexFromNumber(PPROCESSOR_NUMBER number)
{
	ROUTINE(ANY_LEVEL);
	return number->Number < count_of(number->Group) ? first_of(number->Group) + number->Number : ~0u;
}

static void move_to(int processor)
{
	self->only_on = processor;
	if (processor >= 0 && self->processor != processor)
		yield(); /* until that processor has room */
}

static int single(KAFFINITY mask, USHORT group)
{
	unsigned number = (unsigned)__builtin_ctzll(mask);

	if ((mask & (mask - 1)) != 0)
		return -1;
	if (number >= count_of(group))
		bug("an affinity for processor %u of group %u, which is not there", number, group);
	return (int)(first_of(group) + number);
}

KAFFINITY KeSetSystemAffinityThreadEx(KAFFINITY affinity)
{
	int before = self->only_on;

	ROUTINE(APC_LEVEL);
	if (affinity == 0)
		bug("KeSetSystemAffinityThreadEx(0)");
	move_to(single(affinity, 0));
	return before < 0 ? 0 : (KAFFINITY)1 << before;
}

void KeRevertToUserAffinityThreadEx(KAFFINITY affinity)
{
	ROUTINE(APC_LEVEL);
	move_to(affinity == 0 ? -1 : single(affinity, 0));
}

void KeSetSystemGroupAffinityThread(PGROUP_AFFINITY affinity, PGROUP_AFFINITY before)
{
	PROCESSOR_NUMBER number;

	ROUTINE(APC_LEVEL);
	if (affinity->Mask == 0 || affinity->Reserved[0] != 0 || affinity->Reserved[1] != 0 || affinity->Reserved[2] != 0)
		bug("KeSetSystemGroupAffinityThread: mask 0x%llx, or reserved fields that are not 0", (unsigned long long)affinity->Mask);
	if (before != NULL) {
		*before = (GROUP_AFFINITY){ .Mask = 0 };
		if (self->only_on >= 0) {
			number_of((unsigned)self->only_on, &number);
			*before = (GROUP_AFFINITY){ .Mask = (KAFFINITY)1 << number.Number, .Group = number.Group };
		}
	}
	move_to(single(affinity->Mask, affinity->Group));
}

void KeRevertToUserGroupAffinityThread(PGROUP_AFFINITY before)
{
	ROUTINE(APC_LEVEL);
	move_to(before->Mask == 0 ? -1 : single(before->Mask, before->Group));
}
