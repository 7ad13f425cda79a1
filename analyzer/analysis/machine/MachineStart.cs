using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>Builds the state of the machine before the second reading: its CPUs, their losses, and which power records to expect.</summary>
internal static class MachineStart
{
    /// <summary>A CPU that idles may have no record for so long, in ns: its clock and its samples rest.</summary>
    public const long IdleNanoseconds = 200_000_000;

    /// <summary>A CPU that was parked for this part of the time need not have any record.</summary>
    private const double MostlyParked = 0.9;

    /// <param name="facts">What the first reading learnt.</param>
    /// <param name="thresholdTicks">Least latency of an episode, in ticks.</param>
    /// <param name="mhz">Frequency of the CPUs in MHz; null where it is not known.</param>
    public static MachineState Of(TraceFacts facts, EtlFileHeader header, long thresholdTicks, int? mhz, TracePart asked)
    {
        int cpus = HighestCpu(facts) + 1;
        return new MachineState(
            cpus,
            header.Clock.TicksPerSecond,
            thresholdTicks,
            LossesOf(facts, header.Mode),
            new PowerHistory(cpus, HasSpeeds(facts), (group, number) => facts.Devices.IndexOf(cpus, group, number))
            {
                GroupOf = cpu => facts.Devices.ProcessorOf(cpu).Group,
            },
            new LockHistory(header.Clock.TicksPerSecond, mhz),
            asked)
        {
            IsOneCpuOnly = facts.Clocks is { IsConstant: false },
            SilentCpus = [.. SilentCpus(facts, header)],
        };
    }

    /// <summary>Where records are missing.</summary>
    /// <param name="facts">What the first reading learnt.</param>
    public static LossMap LossesOf(TraceFacts facts, EtlLogFileMode mode)
    {
        var losses = new LossMap();
        foreach (TraceLoss loss in facts.Losses)
        {
            if (loss.Kind == LossKind.StrayTimes)
            {
                losses.AddLeftOut(loss.Cpu ?? -1, loss.FromTicks, loss.ToTicks); // What happened is there, but not when.
                continue;
            }

            losses.Add(loss.Cpu ?? -1, loss.FromTicks, loss.ToTicks);
        }

        if (facts.Tracer.Recorder.Captures is [var captured])
        {
            losses.AddLeftOut(-1, captured.WindowToTicks, long.MaxValue);
        }

        if (facts.Tracer.Recorder.Slice is { } slice)
        {
            losses.AddLeftOut(-1, long.MinValue, slice.KeptFromTicks);
            losses.AddLeftOut(-1, slice.KeptToTicks, long.MaxValue);
        }

        if ((mode & (EtlLogFileMode.Circular | EtlLogFileMode.Buffering)) != 0)
        {
            // Each CPU's records before its first one left were overwritten, up to a different time on each CPU.
            foreach (CpuActivity cpu in facts.Cpus)
            {
                losses.AddLeftOut(cpu.Cpu, long.MinValue, cpu.FirstTicks);
            }
        }

        return losses;
    }

    /// <summary>The CPUs that the machine has, and that log nothing for so long that they have not just idled.</summary>
    private static IEnumerable<int> SilentCpus(TraceFacts facts, EtlFileHeader header)
    {
        bool hasCpus = !header.Mode.HasFlag(EtlLogFileMode.NoPerProcessorBuffering) && facts.Cpus.Any(cpu => cpu.ContextSwitches > 0);
        int cpus = Math.Min(facts.Contents.Processors ?? header.ProcessorCount, EtlBufferHeader.MaximumProcessors);
        (long first, long last) = (facts.FirstTicks, facts.LastTicks);
        return hasCpus && last - first > header.Clock.TicksOf(IdleNanoseconds)
            ? Enumerable.Range(0, cpus).Where(cpu => facts.Cpu(cpu) is not { } seen || seen.LastTicks < seen.FirstTicks)
                .Where(cpu => facts.Parked.Of(cpu, first, last).Sum(span => span.EndTicks - span.StartTicks)
                    < MostlyParked * (last - first))
            : [];
    }

    /// <summary>Whether the trace records the speeds of the CPUs.</summary>
    private static bool HasSpeeds(TraceFacts facts) => facts.Contents.Counts.Classes.Any(count =>
        count.Provider == ParkedProcessors.Provider
        || count.Number is KernelHook.PerformanceStateChange or (KernelHook.PerformanceStateChange & 0xFF));

    /// <summary>Whether the trace records which DPCs were queued.</summary>
    public static bool HasDpcQueue(TraceFacts facts) => facts.Contents.Counts.Classes.Any(count =>
        count.Number is KernelHook.DpcExecution or (KernelHook.DpcExecution & 0xFF));

    private static int HighestCpu(TraceFacts facts)
    {
        int events = facts.Cpus.Count > 0 ? facts.Cpus[^1].Cpu : 0;
        int samples = facts.Tracer.PitSamples.Count > 0 ? facts.Tracer.PitSamples.Max(sample => sample.Cpu) : 0;
        int wakeups = facts.Tracer.Wakeups.Count > 0 ? facts.Tracer.Wakeups.Max(wakeup => Math.Max(wakeup.Cpu, wakeup.TimerCpu)) : 0;
        return Math.Clamp(Math.Max(events, Math.Max(samples, wakeups)), 0, EtlBufferHeader.MaximumProcessors - 1);
    }
}
