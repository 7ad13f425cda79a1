using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Decides which gaps of CPUs are blackouts. In a blackout profile samples were due, the CPU was not idle, no events were lost, and the
/// CPU logged no other record. If no CPU logged anything meanwhile and at least two were due a sample, the whole machine stopped.
/// What looks so right between two buffers of the file may be buffers that are missing.
/// </summary>
internal sealed class BlackoutSearch
{
    /// <summary>
    /// A gap of all CPUs that is longer than this counts as a pause, not as a blackout. Firmware and devices stop a machine for less;
    /// sleep, and pauses of a virtual machine, last longer.
    /// </summary>
    private const long LongestBlackoutSeconds = 5;

    /// <summary>
    /// CPUs whose gaps end within this time of each other, in ns, were stopped together. A blackout of the machine was measured to release
    /// its CPUs within 2 to 6 us.
    /// </summary>
    private const long TogetherNanoseconds = 10_000;

    /// <summary>An interrupt served within this time after a blackout, in ns, came during the blackout or ended it.</summary>
    private const long FollowNanoseconds = 50_000;

    /// <summary>
    /// How far before a blackout the CPUs' records are counted, to tell how often they log, in units of <see cref="FollowNanoseconds"/>: 10
    /// ms, so that enough records lie inside.
    /// </summary>
    private const int RateWindows = 200;

    /// <summary>To ask another CPU what it did meanwhile is as much work as to examine so many records.</summary>
    internal const int RecordsOfCpu = 4;

    private readonly CpuHistories _cpus;
    private readonly bool _isOneCpuOnly;
    private readonly bool _hasSilentCpus;
    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;
    private readonly SampleShares _shares;
    private readonly LossMap _losses;
    private readonly DarkTimes _dark;
    private readonly WorkBudget _budget;

    private readonly long _togetherTicks;
    private readonly long _followTicks;
    private readonly long _longestBlackoutTicks;
    private readonly long _driverIntervalTicks;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly Blackouts _found;

    /// <param name="driverIntervalTicks">Sample interval of Tracer's own driver, in ticks; null where it took no samples.</param>
    public BlackoutSearch(
        MachineState machine, OwnersOfCode owners, RecordedKinds has, long? driverIntervalTicks, Blackouts found, WorkBudget budget)
    {
        _budget = budget;
        _cpus = machine.Cpus;
        _isOneCpuOnly = machine.IsOneCpuOnly;
        _hasSilentCpus = machine.SilentCpus.Count > 0;
        _owners = owners.Search;
        _modules = owners.Modules;
        _shares = owners.Shares;
        _losses = machine.Losses;
        _dark = new DarkTimes(has.ContextSwitches, has.IsrDpc);
        _found = found;
        long ticksPerSecond = machine.TicksPerSecond;
        _longestBlackoutTicks = TickRate.TicksOfSeconds(LongestBlackoutSeconds, ticksPerSecond);
        _togetherTicks = Math.Max(1, TickRate.TicksOf(TogetherNanoseconds, ticksPerSecond));
        _followTicks = Math.Max(1, TickRate.TicksOf(FollowNanoseconds, ticksPerSecond));
        _driverIntervalTicks = driverIntervalTicks ?? 0;
    }

    /// <summary>Examines one gap, once enough is known of the time after it.</summary>
    public void Look(CpuHistory cpu, SampleGap gap)
    {
        Darkness darkness = _dark.Of(cpu, ref gap);
        if (darkness == Darkness.None || _losses.Overlaps(cpu.Cpu, gap.FromTicks, gap.ToTicks) || _found.IsKnown(cpu.Cpu, gap)
            || _found.IsSleep(gap.DueTicks, gap.ToTicks))
        {
            return;
        }

        if (darkness == Darkness.Hole)
        {
            _losses.AddHole(cpu.Cpu, gap.FromTicks, gap.ToTicks);
            return;
        }

        List<CpuHistory> stopped = [cpu];
        SampleGap all = gap;
        int lowest = cpu.Cpu;
        bool areTogether = false;
        bool isAlive = false;
        // With one CPU only, what another did meanwhile cannot be told; once one is alive, nothing more is asked.
        for (int number = 0; number < _cpus.Length && !isAlive && !_isOneCpuOnly; number++)
        {
            if (number == cpu.Cpu || !_cpus.HasRecordBehind(number, gap.FromTicks))
            {
                continue; // It shows nothing.
            }

            if (!_budget.TrySpend(RecordsOfCpu))
            {
                _found.Dropped++;
                return;
            }

            CpuHistory other = _cpus[number]!;
            if (SameSampleGap(other, in gap, darkness) is { } same)
            {
                stopped.Add(other);
                lowest = Math.Min(lowest, other.Cpu);
                areTogether |= Math.Abs(same.ToTicks - gap.ToTicks) <= _togetherTicks;
                all.FromTicks = Math.Max(all.FromTicks, same.FromTicks);
                all.ToTicks = Math.Min(all.ToTicks, same.ToTicks);
                all.DueTicks = Math.Min(all.DueTicks, same.DueTicks);
            }
            else
            {
                isAlive |= ShowsLife(other, in gap);
            }
        }

        bool isWhole = !isAlive && (stopped.Count >= 2 || (_cpus.Count == 1 && !_hasSilentCpus)) && all.ToTicks > all.FromTicks
            && (darkness == Darkness.Dark || areTogether);
        bool isTentative = !isWhole && darkness == Darkness.LateSample;
        if (isTentative && gap.ToTicks - gap.DueTicks <= gap.ToleranceTicks)
        {
            return;
        }

        if (!isWhole)
        {
            (all, lowest, stopped) = (gap, cpu.Cpu, [cpu]);
        }

        bool mayBeClock = _isOneCpuOnly && !isTentative;
        if (all.ToTicks - all.FromTicks > _longestBlackoutTicks && !isAlive && !isTentative)
        {
            // Nobody is to blame for that, and whoever was ready before the pause was not kept waiting by anyone.
            _found.AddPause(new TickSpan(all.FromTicks, all.ToTicks));
            return;
        }

        _found.Add(new Blackout
        {
            Cpu = lowest,
            FromTicks = all.FromTicks,
            StartTicks = Started(stopped, all.FromTicks, Math.Max(all.DueTicks, all.FromTicks)),
            DueTicks = Math.Max(all.DueTicks, all.FromTicks),
            ToTicks = all.ToTicks,
            Cpus = stopped.Count,
            IsWholeMachine = isWhole,
            IsElsewhereAlive = isAlive,
            IsTentative = isTentative || mayBeClock,
            MayBeClock = mayBeClock,
            Edges = Edges(stopped, all.FromTicks, all.ToTicks),
            Routine = stopped.Select(one => DarkTimes.SpanAround(one, all.FromTicks, all.ToTicks)).FirstOrDefault(span => span is not null)
                ?.Routine ?? 0,
            Followers = isWhole ? Followers(all.ToTicks) : [],
        });
    }

    /// <summary>
    /// Examines the time that the interrupt of Tracer's own driver waited. Suppose the driver's samples are the only ones of that CPU, one
    /// of them was due inside, and it came only when the interrupt was served as well. Then nothing was served meanwhile.
    /// </summary>
    public void LookAtInterrupt(CpuHistory cpu, long dueTicks, long servedTicks)
    {
        long waited = servedTicks - dueTicks;
        if (cpu.SampleIntervalAt(servedTicks) > 0 || _driverIntervalTicks == 0
            || waited < _driverIntervalTicks + (_driverIntervalTicks / 2))
        {
            return;
        }

        long resumed = Math.Min(servedTicks, FirstSampleTicks(cpu, dueTicks));
        var gap = new SampleGap { FromTicks = dueTicks, DueTicks = dueTicks, ToTicks = resumed };
        if (servedTicks - resumed > waited / 8 || cpu.HasRecordBetween(dueTicks, resumed) || _found.IsKnown(cpu.Cpu, gap)
            || _losses.Overlaps(cpu.Cpu, dueTicks, resumed))
        {
            return;
        }

        bool isAlive = false;
        bool isAlone = true;
        foreach (CpuHistory? other in _cpus)
        {
            isAlone &= (other is null || other == cpu) && !_hasSilentCpus;
            isAlive |= other is not null && other != cpu && other.HasRecordBetween(dueTicks, resumed);
        }

        _found.Add(new Blackout
        {
            Cpu = cpu.Cpu,
            FromTicks = dueTicks,
            StartTicks = dueTicks,
            DueTicks = dueTicks,
            ToTicks = resumed,
            Cpus = 1,
            IsWholeMachine = isAlone,
            IsElsewhereAlive = isAlive,
            Edges = Edges([cpu], dueTicks, resumed),
        });
    }

    private static long FirstSampleTicks(CpuHistory cpu, long fromTicks)
    {
        long number = cpu.FirstSampleFrom(fromTicks);
        return number < cpu.Samples.Next ? cpu.Samples[number].Ticks : long.MaxValue;
    }

    private static long Overlap(in SampleGap one, in SampleGap other) =>
        Math.Min(one.ToTicks, other.ToTicks) - Math.Max(one.DueTicks, other.DueTicks);

    private static SampleGap? OverlappingSampleGap(CpuHistory cpu, in SampleGap gap)
    {
        // Gaps of one CPU do not overlap, so that the last one that begins before the other's end is the right one.
        long number = cpu.SampleGaps.FirstAfter(gap.FromTicks);
        long next = number;
        while (next < cpu.SampleGaps.Next && cpu.SampleGaps[next].FromTicks < gap.ToTicks)
        {
            next++;
        }

        return next > number ? cpu.SampleGaps[next - 1] : null;
    }

    /// <summary>The gap of another CPU that belongs to the same blackout; null where it has none.</summary>
    private SampleGap? SameSampleGap(CpuHistory other, in SampleGap gap, Darkness darkness)
    {
        if (OverlappingSampleGap(other, in gap) is not { } same || _dark.Of(other, ref same) is Darkness.None or Darkness.Hole
            || Overlap(same, gap) <= 0 || _losses.Overlaps(other.Cpu, same.FromTicks, same.ToTicks))
        {
            return null;
        }

        // A gap that proves nothing by itself must have ended together with the other one.
        bool isEvidence = darkness == Darkness.Dark && same.ToTicks - same.DueTicks > same.ToleranceTicks;
        return isEvidence || Math.Abs(same.ToTicks - gap.ToTicks) <= _togetherTicks ? same : null;
    }

    /// <summary>Whether a CPU logged something while another was silent, and not only when the silent one resumed.</summary>
    private static bool ShowsLife(CpuHistory cpu, in SampleGap gap)
    {
        long margin = Math.Min(cpu.SampleToleranceAt(gap.ToTicks), (gap.ToTicks - gap.DueTicks) / 4);
        return cpu.HasRecordBetween(gap.DueTicks, gap.ToTicks - margin);
    }

    /// <summary>
    /// When a blackout most likely began: after the last record before it, by the usual distance of records on these CPUs, but no later
    /// than the first missing sample was due.
    /// </summary>
    private long Started(List<CpuHistory> stopped, long fromTicks, long dueTicks)
    {
        long window = RateWindows * _followTicks;
        long records = 1;
        foreach (CpuHistory cpu in stopped)
        {
            long before = fromTicks - window;
            records += cpu.Spans.FirstAfter(fromTicks) - cpu.Spans.FirstAfter(before) + cpu.Runs.FirstAfter(fromTicks)
                - cpu.Runs.FirstAfter(before) + cpu.Samples.FirstAfter(fromTicks) - cpu.Samples.FirstAfter(before);
        }

        return Math.Min(dueTicks, fromTicks + (window / records));
    }

    /// <summary>The device ISRs that ran right after a time, each once.</summary>
    private List<ulong> Followers(long ticks)
    {
        List<ulong> followers = [];
        foreach (CpuHistory? cpu in _cpus)
        {
            if (cpu is null)
            {
                continue;
            }

            for (long number = cpu.FirstSpanEndingAfter(ticks); number < cpu.Spans.Next
                && cpu.Spans[number].EndTicks <= ticks + (RateWindows * _followTicks); number++)
            {
                LevelSpan span = cpu.Spans[number];
                if (span is { IsIsr: true, IsProfile: false } && span.StartTicks >= ticks && span.StartTicks <= ticks + _followTicks
                    && !followers.Contains(span.Routine) && !cpu.IsOthersInterrupt(number, _togetherTicks))
                {
                    followers.Add(span.Routine);
                }
            }
        }

        return followers;
    }

    private List<BlackoutEdge> Edges(List<CpuHistory> silent, long fromTicks, long toTicks)
    {
        List<BlackoutEdge> edges = [];
        foreach (CpuHistory cpu in silent)
        {
            long interval = cpu.SampleIntervalAt(toTicks) is > 0 and var known ? known : _driverIntervalTicks;
            long after = cpu.FirstSampleFrom(toTicks);
            if (after < cpu.Samples.Next && cpu.Samples[after].Ticks - toTicks < interval)
            {
                AddEdge(edges, cpu, cpu.Samples[after], isAfter: true);
            }

            if (after > cpu.Samples.First && fromTicks - cpu.Samples[after - 1].Ticks < 2 * interval)
            {
                AddEdge(edges, cpu, cpu.Samples[after - 1], isAfter: false);
            }

            if (DarkTimes.SpanAround(cpu, fromTicks, toTicks) is { } span)
            {
                edges.Add(new BlackoutEdge(cpu.Cpu, IsAfter: true, IsUser: false, _owners.OfSpan(cpu, in span)));
            }
        }

        return edges;
    }

    private void AddEdge(List<BlackoutEdge> edges, CpuHistory cpu, in CpuSample sample, bool isAfter)
    {
        if (sample.IsIdle)
        {
            return;
        }

        bool isUser = !_modules.Images.IsKernelAddress(sample.Instruction);
        OwnerFinding? owner = isUser ? null : _owners.OfCode(sample.Instruction, EdgeFrames(cpu, in sample), sample.Ticks);
        bool isOfThread = !sample.IsInDpc && !sample.IsInIsr && cpu.SpanAt(sample.Ticks) < 0;
        uint? caller = isOfThread ? _shares.CallerOf(sample.ThreadId, sample.Ticks) : null;
        edges.Add(new BlackoutEdge(cpu.Cpu, isAfter, isUser, owner, caller));
    }

    /// <summary>
    /// The frames up to the caller, if the code at the edge is the kernel's or a library's: it may have just released a spin lock or
    /// enabled interrupts.
    /// </summary>
    private ReadOnlySpan<ulong> EdgeFrames(CpuHistory cpu, in CpuSample sample)
    {
        ReadOnlySpan<ulong> frames = cpu.FramesOf(in sample, _frames);
        _ = _modules.WorkedFor(frames, sample.Ticks, out int count);
        return frames[..count];
    }
}
