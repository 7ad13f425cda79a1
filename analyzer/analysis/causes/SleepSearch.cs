using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Finds when the machine slept by Modern Standby: no CPU logged anything for a while, and none ran a thread when that began, as neither a
/// device nor the firmware that stops a machine would wait for. That it was in standby then must be recorded. Where it only can be, as the
/// machine's configuration says, a longer time that even the profile's samples lack is a pause of which nobody knows.
/// </summary>
internal sealed class SleepSearch
{
    /// <summary>
    /// In standby the least gap that is sleep, in ns: what is shorter than a beat of sound is of no interest either way.
    /// </summary>
    private const long LeastNanoseconds = 10_000_000;

    /// <summary>
    /// Without a record of standby the least gap that may be sleep, in ns: no firmware was seen to stop a machine for as long.
    /// </summary>
    private const long LeastUntoldNanoseconds = 200_000_000;

    private readonly CpuHistories _cpus;
    private readonly LossMap _losses;
    private readonly StandbyTimes _standby;
    private readonly Blackouts _found;
    private readonly int[] _next;
    private readonly long _leastTicks;
    private long _foundUntilTicks = long.MinValue;

    public SleepSearch(MachineState machine, StandbyTimes standby, Blackouts found)
    {
        _cpus = machine.Cpus;
        _losses = machine.Losses;
        _standby = standby;
        _found = found;
        _next = new int[machine.Cpus.Length];
        _leastTicks = LeastTicks(standby, machine.TicksPerSecond);
    }

    /// <summary>The least gap of a CPU that is looked at, in ticks; the largest time where the machine has no such sleep.</summary>
    public static long LeastTicks(StandbyTimes standby, long ticksPerSecond) =>
        standby.IsKnown ? Math.Max(1, TickRate.TicksOf(LeastNanoseconds, ticksPerSecond))
        : standby.IsPossible ? Math.Max(1, TickRate.TicksOf(LeastUntoldNanoseconds, ticksPerSecond))
        : long.MaxValue;

    /// <summary>Examines the gaps of a CPU that have ended; all records of the other CPUs up to now must have come.</summary>
    public void Look(CpuHistory cpu)
    {
        for (; _next[cpu.Cpu] < cpu.RecordGaps.Count; _next[cpu.Cpu]++)
        {
            TickSpan own = cpu.RecordGaps[_next[cpu.Cpu]];
            if (OfAll(cpu, own) is { } gap && gap.EndTicks > _foundUntilTicks
                && !_losses.Overlaps(cpu.Cpu, gap.StartTicks, gap.EndTicks) && IdledAt(gap.StartTicks))
            {
                _foundUntilTicks = gap.EndTicks; // The gaps of all other CPUs have this one in them.
                Add(cpu, gap);
            }
        }
    }

    private void Add(CpuHistory cpu, TickSpan gap)
    {
        if (_standby.Covers(gap.StartTicks, gap.EndTicks))
        {
            _found.AddSleep(gap, isTold: true);
        }
        else if (!_standby.IsKnown && cpu.SampleIntervalAt(gap.EndTicks) > 0)
        {
            _found.AddSleep(gap, isTold: false);
        }
    }

    /// <summary>The part of a gap of one CPU in which all were silent; null where that is too short.</summary>
    private TickSpan? OfAll(CpuHistory cpu, TickSpan own)
    {
        (long from, long to) = (own.StartTicks, own.EndTicks);
        for (int number = 0; number < _cpus.Length; number++)
        {
            if (number == cpu.Cpu || !_cpus.HasRecordBehind(number, from))
            {
                continue;
            }

            CpuHistory other = _cpus[number]!;
            if (GapIn(other, from, to) is { } same)
            {
                (from, to) = (Math.Max(from, same.StartTicks), Math.Min(to, same.EndTicks));
            }
            else if (other.LatestTicks >= to)
            {
                return null;
            }
            else
            {
                from = Math.Max(from, other.LatestTicks); // It still is silent.
            }

            if (to - from < _leastTicks)
            {
                return null;
            }
        }

        return new TickSpan(from, to);
    }

    private TickSpan? GapIn(CpuHistory cpu, long fromTicks, long toTicks)
    {
        for (int i = cpu.RecordGaps.Count - 1; i >= 0 && cpu.RecordGaps[i].EndTicks > fromTicks; i--)
        {
            TickSpan one = cpu.RecordGaps[i];
            if (Math.Min(toTicks, one.EndTicks) - Math.Max(fromTicks, one.StartTicks) >= _leastTicks)
            {
                return one;
            }
        }

        return null;
    }

    private bool IdledAt(long ticks)
    {
        foreach (CpuHistory? cpu in _cpus)
        {
            if (cpu is null)
            {
                continue;
            }

            long run = cpu.RunAt(ticks);
            long sample = cpu.FirstSampleFrom(ticks + 1) - 1;
            if (run >= 0 ? !cpu.Runs[run].IsIdle : sample >= cpu.Samples.First && !cpu.Samples[sample].IsIdle)
            {
                return false;
            }
        }

        return true;
    }
}
