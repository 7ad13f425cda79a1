using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// Tells where DPCs were not recorded although they were elsewhere: no CPU logged one for far longer than one ever did not, or one CPU
/// logged none for its many interrupts, unlike all others. What kept a timer or a device from making a thread ready is not seen there.
/// </summary>
internal sealed class MissingDpcs(BlameFindings findings)
{
    /// <summary>A running Windows has a DPC on some CPU each second.</summary>
    private const int LeastSeconds = 1;

    /// <summary>A CPU with fewer DPCs does not show how often they come.</summary>
    private const int LeastDpcs = 100;

    /// <summary>The interval without DPCs is so many times as long as the longest other one of such a CPU.</summary>
    private const int TimesUsual = 20;

    /// <summary>So many interrupts of a CPU queue a DPC now and then, if devices send them.</summary>
    private const int LeastInterrupts = 100;

    /// <summary>So many DPCs an interrupt has on each other CPU.</summary>
    private const double DpcsOfInterrupt = 0.5;

    /// <summary>So many other CPUs show that.</summary>
    private const int LeastOthers = 2;

    /// <summary>Where they are missing, as the rest of a sentence; null where nothing shows that they are.</summary>
    public string? Reason() => LongInterval() ?? SilentCpu();

    private string? LongInterval()
    {
        (RecordedTimes all, RecordedTimes dpcs) = (findings.Machine.Recorded, findings.Machine.RecordedDpcs);
        long from = Math.Max(all.FirstTicks ?? 0, findings.Machine.Asked.FromTicks);
        long to = Math.Min(all.LastTicks ?? 0, findings.Machine.Asked.ToTicks);
        (long start, long end, long usual) = (from, to, long.MaxValue);
        int[] cpus = [.. findings.Facts.Cpus.Select(cpu => cpu.Cpu)];
        foreach (RecordedTimes.Recorded cpu in cpus.Select(dpcs.Of).Where(cpu => cpu.Count > 0))
        {
            (long From, long To)[] intervals = [(from, cpu.First), (cpu.LongestFrom, cpu.LongestFrom + cpu.Longest), (cpu.Last, to)];
            (long From, long To) longest = intervals.MaxBy(one => one.To - one.From);
            (start, end) = (Math.Max(start, longest.From), Math.Min(end, longest.To));
            usual = cpu.Count < LeastDpcs
                ? usual
                : Math.Min(usual, Math.Max(cpu.Second, intervals.Where(one => one != longest).Max(one => one.To - one.From)));
        }

        long ticks = end - start;
        bool isSilent = ticks >= findings.Clock.TicksOfSeconds(LeastSeconds) && usual < ticks / TimesUsual;

        // Where nothing else was logged either, no record is missing.
        return isSilent && cpus.Any(cpu => all.Of(cpu) is { Count: > 0 } one && one.Longest < ticks / 2)
            ? $"no CPU has a DPC for {ReadableDuration.Of(findings.Length(ticks))} "
                + $"from {ReadableDuration.At(findings.Time(start))} on, so they were not recorded there"
            : null;
    }

    private string? SilentCpu()
    {
        Dictionary<int, long> ofKernel = KernelIsrs();
        (int Cpu, long Isrs, long Dpcs)[] interrupted =
        [
            .. findings.Facts.Cpus.Select(cpu => (cpu.Cpu, Isrs: cpu.Isrs - ofKernel.GetValueOrDefault(cpu.Cpu), cpu.Dpcs))
                .Where(cpu => cpu.Isrs >= LeastInterrupts),
        ];
        int with = interrupted.Count(cpu => cpu.Dpcs >= DpcsOfInterrupt * cpu.Isrs);
        int without = Array.FindIndex(interrupted, cpu => cpu.Dpcs == 0);
        return without < 0 || with < LeastOthers || with + 1 < interrupted.Length
            ? null
            : $"CPU {interrupted[without].Cpu.ToString(CultureInfo.InvariantCulture)} has no DPC for "
                + $"{Counted.Of(interrupted[without].Isrs, "interrupt")}, unlike the others, so they were not recorded there";
    }

    /// <summary>The interrupts of each CPU that are the kernel's own, the clock's and the profile's: they queue no DPC.</summary>
    private Dictionary<int, long> KernelIsrs()
    {
        Dictionary<int, long> counts = [];
        foreach (RoutineCount isr in findings.Machine.Routines.All.Where(routine => routine.IsIsr))
        {
            if (findings.Modules.Find(isr.Routine, isr.AtTicks) is { } image && findings.Modules.RoleOf(image) == ModuleRole.Kernel)
            {
                foreach (CpuRun runs in isr.PerCpu.All)
                {
                    counts[runs.Cpu] = counts.GetValueOrDefault(runs.Cpu) + runs.Count;
                }
            }
        }

        return counts;
    }
}
