namespace Tracer.Analysis;

/// <summary>
/// Tells which silences of CPUs are blackouts: samples were due, the CPU was not idle, nothing was lost, and nothing else of that CPU
/// lies inside. Where no CPU shows life meanwhile and at least two were due a sample, the whole machine stood still.
/// </summary>
internal sealed class BlackoutSearch
{
    private readonly CpuHistory?[] _cpus;
    private readonly SampleClock?[] _clocks;
    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;
    private readonly LossMap _losses;
    private readonly bool _hasSwitches;
    private readonly bool _hasLevels;
    private readonly long _longestStopTicks;
    private readonly long _driverIntervalTicks;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly List<Blackout> _found = [];
    private readonly List<TickSpan> _pauses = [];

    /// <summary>Makes a search.</summary>
    public BlackoutSearch(
        CpuHistory?[] cpus,
        SampleClock?[] clocks,
        OwnerSearch owners,
        ModuleMap modules,
        LossMap losses,
        bool hasSwitches,
        bool hasLevels,
        long longestStopTicks,
        long? driverIntervalTicks)
    {
        _cpus = cpus;
        _clocks = clocks;
        _owners = owners;
        _modules = modules;
        _losses = losses;
        _hasSwitches = hasSwitches;
        _hasLevels = hasLevels;
        _longestStopTicks = longestStopTicks;
        _driverIntervalTicks = driverIntervalTicks ?? 0;
    }

    /// <summary>Every blackout found, in the order in which they were found.</summary>
    public IReadOnlyList<Blackout> Found => _found;

    /// <summary>How often the whole machine stood still for so long that it slept or, as a guest, was paused.</summary>
    public int Pauses => _pauses.Count;

    /// <summary>How many were beyond what is remembered.</summary>
    public long Dropped { get; private set; }

    /// <summary>Looks at one silence, when all that happened until a while after it is known.</summary>
    /// <param name="cpu">The silent CPU.</param>
    /// <param name="silence">The silence.</param>
    public void Look(CpuHistory cpu, Silence silence)
    {
        if (!IsDark(cpu, ref silence) || _losses.Overlaps(cpu.Cpu, silence.FromTicks, silence.ToTicks) || IsKnown(cpu.Cpu, silence))
        {
            return;
        }

        long from = silence.FromTicks;
        long due = silence.DueTicks;
        long to = silence.ToTicks;
        int dark = 1;
        int active = 0;
        int lowest = cpu.Cpu;
        bool isAlive = false;
        List<CpuHistory> silent = [cpu];
        foreach (CpuHistory? other in _cpus)
        {
            if (other is null || other == cpu)
            {
                continue;
            }

            active++;
            if (OverlappingSilence(other, silence) is { } same && (IsDark(other, ref same) || IsSampledLate(other, in same))
                && Overlap(same, silence) > 0
                && !_losses.Overlaps(other.Cpu, same.FromTicks, same.ToTicks))
            {
                dark++;
                silent.Add(other);
                lowest = Math.Min(lowest, other.Cpu);
                from = Math.Max(from, same.FromTicks);
                to = Math.Min(to, same.ToTicks);
                due = Math.Min(due, same.DueTicks);
            }
            else if (other.HasRecordBetween(silence.DueTicks, silence.ToTicks - (_clocks[cpu.Cpu]?.ToleranceTicks ?? 0)))
            {
                isAlive = true;
            }
        }

        bool isWhole = !isAlive && (dark >= 2 || active == 0) && to > from;
        if (!isWhole)
        {
            (from, due, to, lowest) = (silence.FromTicks, silence.DueTicks, silence.ToTicks, cpu.Cpu);
            silent = [cpu];
        }

        if (to - from > _longestStopTicks && !isAlive)
        {
            // Nobody's fault; and who was ready before was not kept waiting by anyone.
            _pauses.Add(new TickSpan(from, to));
            return;
        }

        Add(new Blackout
        {
            Cpu = lowest,
            FromTicks = from,
            DueTicks = Math.Max(due, from),
            ToTicks = to,
            IsWholeMachine = isWhole,
            IsElsewhereAlive = isAlive,
            Edges = Edges(silent, from, to),
            Routine = silent.Select(one => SpanAround(one, from, to)).FirstOrDefault(span => span is not null)?.Routine ?? 0,
        });
    }

    /// <summary>
    /// Looks at the time that the interrupt of our own driver waited. Where the driver's samples of that CPU are all there is, and was due
    /// inside, and came only when the interrupt was served too, nothing was served meanwhile.
    /// </summary>
    /// <param name="cpu">Where it waited.</param>
    /// <param name="dueTicks">When it was due.</param>
    /// <param name="servedTicks">When it was served.</param>
    public void LookAtInterrupt(CpuHistory cpu, long dueTicks, long servedTicks)
    {
        long waited = servedTicks - dueTicks;
        if (_clocks[cpu.Cpu] is { IntervalTicks: > 0 } || _driverIntervalTicks == 0
            || waited < _driverIntervalTicks + (_driverIntervalTicks / 2))
        {
            return;
        }

        long resumed = Math.Min(servedTicks, FirstSampleTicks(cpu, dueTicks));
        var silence = new Silence { FromTicks = dueTicks, DueTicks = dueTicks, ToTicks = resumed };
        if (servedTicks - resumed > waited / 8 || cpu.HasRecordBetween(dueTicks, resumed) || IsKnown(cpu.Cpu, silence)
            || _losses.Overlaps(cpu.Cpu, dueTicks, resumed))
        {
            return;
        }

        bool isAlive = false;
        bool isAlone = true;
        foreach (CpuHistory? other in _cpus)
        {
            isAlone &= other is null || other == cpu;
            isAlive |= other is not null && other != cpu && other.HasRecordBetween(dueTicks, resumed);
        }

        Add(new Blackout
        {
            Cpu = cpu.Cpu,
            FromTicks = dueTicks,
            DueTicks = dueTicks,
            ToTicks = resumed,
            IsWholeMachine = isAlone,
            IsElsewhereAlive = isAlive,
            Edges = Edges([cpu], dueTicks, resumed),
        });
    }

    /// <summary>Whether the machine slept or was paused at some time of a stretch.</summary>
    public bool WasPaused(long fromTicks, long toTicks) =>
        _pauses.Exists(pause => pause.StartTicks < toTicks && pause.EndTicks > fromTicks);

    /// <summary>
    /// The blackouts that may have stopped a CPU in a stretch of time: its own, and those of the machine or of a CPU beside which no
    /// other showed life.
    /// </summary>
    public IEnumerable<Blackout> Touching(int cpu, long fromTicks, long toTicks)
    {
        for (int i = _found.Count - 1; i >= 0 && i >= _found.Count - 4096; i--)
        {
            Blackout blackout = _found[i];
            if ((!blackout.IsElsewhereAlive || blackout.Cpu == cpu) && blackout.FromTicks < toTicks && blackout.ToTicks > fromTicks)
            {
                yield return blackout;
            }
        }
    }

    private static long FirstSampleTicks(CpuHistory cpu, long fromTicks)
    {
        long number = cpu.FirstSampleFrom(fromTicks);
        return number < cpu.Samples.Next ? cpu.Samples[number].Ticks : long.MaxValue;
    }

    private static long Overlap(in Silence one, in Silence other) =>
        Math.Min(one.ToTicks, other.ToTicks) - Math.Max(one.DueTicks, other.DueTicks);

    private static Silence? OverlappingSilence(CpuHistory cpu, in Silence silence)
    {
        for (long number = cpu.Silences.Next - 1; number >= cpu.Silences.First; number--)
        {
            Silence other = cpu.Silences[number];
            if (other.ToTicks <= silence.FromTicks)
            {
                break;
            }

            if (other.FromTicks < silence.ToTicks)
            {
                return other;
            }
        }

        return null;
    }

    private bool IsKnown(int cpu, in Silence silence)
    {
        for (int i = _found.Count - 1; i >= 0 && i >= _found.Count - 64; i--)
        {
            Blackout known = _found[i];
            if ((known.IsWholeMachine || known.Cpu == cpu) && known.FromTicks < silence.ToTicks && known.ToTicks > silence.DueTicks)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Whether a silence says that nothing was served: something other than the idle thread ran, and no routine entered its level inside.
    /// The latter becomes known only when the routine returns; the silence is then cut there.
    /// </summary>
    private bool IsDark(CpuHistory cpu, ref Silence silence)
    {
        for (long number = cpu.FirstSpanEndingAfter(silence.FromTicks); number < cpu.Spans.Next; number++)
        {
            long start = cpu.Spans[number].StartTicks;
            if (start <= silence.FromTicks || start >= silence.ToTicks)
            {
                continue;
            }

            // Either part may have been dark; the one in which the sample was due counts.
            if (start <= silence.DueTicks)
            {
                silence.FromTicks = start;
            }
            else
            {
                silence.ToTicks = start;
            }
        }

        long tolerance = _clocks[cpu.Cpu]?.ToleranceTicks ?? 0;
        if (silence.ToTicks - silence.DueTicks <= tolerance)
        {
            return false;
        }

        if (!_hasSwitches)
        {
            return _hasLevels && IsBusyAtEdges(cpu, in silence) && IsSampledLate(cpu, in silence);
        }

        long run = cpu.RunAt(silence.FromTicks);
        if (run < 0 || !cpu.Runs[run].IsKnown
            || (cpu.Runs[run].IsIdle && SpanAround(cpu, silence.FromTicks, silence.ToTicks) is null))
        {
            return false;
        }

        return IsBusySince(cpu, silence.BeatTicks, silence.ToTicks) || IsSampledLate(cpu, in silence)
            || IsBusyForInterval(cpu, run, ref silence);
    }

    /// <summary>
    /// Whether one thread ran through the silence for longer than an interval: whatever beat the timer kept since the CPU left idling, a
    /// sample was due by then.
    /// </summary>
    private bool IsBusyForInterval(CpuHistory cpu, long run, ref Silence silence)
    {
        if (_clocks[cpu.Cpu] is not { IntervalTicks: > 0 } clock || cpu.Runs[run].IsIdle
            || (run + 1 < cpu.Runs.Next && cpu.Runs[run + 1].StartTicks < silence.ToTicks))
        {
            return false;
        }

        long due = silence.FromTicks + clock.IntervalTicks;
        if (silence.ToTicks - due <= clock.ToleranceTicks)
        {
            return false;
        }

        silence.DueTicks = Math.Max(silence.DueTicks, due);
        return true;
    }

    /// <summary>While a CPU idles its profile timer may rest, and keeps another beat when it is set again.</summary>
    private static bool IsBusySince(CpuHistory cpu, long fromTicks, long toTicks)
    {
        for (long run = cpu.RunAt(toTicks - 1); run >= cpu.Runs.First; run--)
        {
            if (!cpu.Runs[run].IsKnown || cpu.Runs[run].IsIdle)
            {
                return false;
            }

            if (cpu.Runs[run].StartTicks <= fromTicks)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Whether the missing sample came late, as soon as the CPU served interrupts again, and the next kept the old beat: the timer had
    /// gone on, its interrupt was pending.
    /// </summary>
    private bool IsSampledLate(CpuHistory cpu, in Silence silence)
    {
        if (_clocks[cpu.Cpu] is not { } clock)
        {
            return false;
        }

        long late = cpu.FirstSampleFrom(silence.ToTicks);
        if (late >= cpu.Samples.Next || cpu.Samples[late].Ticks - silence.ToTicks > clock.ToleranceTicks)
        {
            return false;
        }

        // A whole interval between them shows no delay: the timer may have been set anew, with the old beat by chance.
        return late + 1 < cpu.Samples.Next
            && cpu.Samples[late + 1].Ticks - cpu.Samples[late].Ticks <= clock.IntervalTicks - (clock.ToleranceTicks / 2)
            && clock.IsOnBeat(cpu.Samples[late + 1].Ticks, silence.BeatTicks);
    }

    /// <summary>The innermost ISR or DPC that a stretch lies in; null for none.</summary>
    private static LevelSpan? SpanAround(CpuHistory cpu, long fromTicks, long toTicks)
    {
        LevelSpan? innermost = null;
        for (long number = cpu.FirstSpanEndingAfter(fromTicks); number < cpu.Spans.Next; number++)
        {
            LevelSpan span = cpu.Spans[number];
            if (span.StartTicks <= fromTicks && span.EndTicks >= toTicks
                && (innermost is not { } known || span.StartTicks > known.StartTicks))
            {
                innermost = span;
            }
        }

        return innermost;
    }

    /// <summary>Without switches only the samples at both ends tell that the CPU was not idle.</summary>
    private static bool IsBusyAtEdges(CpuHistory cpu, in Silence silence)
    {
        long after = cpu.FirstSampleFrom(silence.ToTicks);
        return after > cpu.Samples.First && after < cpu.Samples.Next
            && !cpu.Samples[after].IsIdle && !cpu.Samples[after - 1].IsIdle;
    }

    private List<BlackoutEdge> Edges(List<CpuHistory> silent, long fromTicks, long toTicks)
    {
        List<BlackoutEdge> edges = [];
        foreach (CpuHistory cpu in silent)
        {
            long interval = _clocks[cpu.Cpu] is { IntervalTicks: > 0 } clock ? clock.IntervalTicks : _driverIntervalTicks;
            long after = cpu.FirstSampleFrom(toTicks);
            if (after < cpu.Samples.Next && cpu.Samples[after].Ticks - toTicks < interval)
            {
                AddEdge(edges, cpu, cpu.Samples[after], isAfter: true);
            }

            if (after > cpu.Samples.First && fromTicks - cpu.Samples[after - 1].Ticks < 2 * interval)
            {
                AddEdge(edges, cpu, cpu.Samples[after - 1], isAfter: false);
            }

            if (SpanAround(cpu, fromTicks, toTicks) is { } span)
            {
                edges.Add(new BlackoutEdge(cpu.Cpu, IsAfter: true, IsUser: false, _owners.OfSpan(cpu, in span)));
            }
        }

        return edges;
    }

    private void AddEdge(List<BlackoutEdge> edges, CpuHistory cpu, in SampleMark sample, bool isAfter)
    {
        if (sample.IsIdle)
        {
            return;
        }

        bool isUser = !_modules.Images.IsKernelAddress(sample.Instruction);
        OwnerFinding? owner = isUser ? null : _owners.OfCode(sample.Instruction, EdgeFrames(cpu, in sample), sample.Ticks);
        edges.Add(new BlackoutEdge(cpu.Cpu, isAfter, isUser, owner));
    }

    /// <summary>One caller up where the code is the kernel's: a spin lock released, an interrupt enabled.</summary>
    private ReadOnlySpan<ulong> EdgeFrames(CpuHistory cpu, in SampleMark sample)
    {
        ReadOnlySpan<ulong> frames = cpu.FramesOf(in sample, _frames);
        for (int i = 0; i < frames.Length; i++)
        {
            if (_modules.Find(frames[i], sample.Ticks) is { } image && _modules.RoleOf(image) != ModuleRole.Kernel)
            {
                return frames[..(i + 1)];
            }
        }

        return frames;
    }

    private void Add(Blackout blackout)
    {
        const int MostKept = 100_000;
        if (_found.Count >= MostKept)
        {
            Dropped++;
            return;
        }

        _found.Add(blackout);
    }
}
