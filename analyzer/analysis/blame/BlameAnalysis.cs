using System.Globalization;
using Tracer.Contract;
using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Analysis;

/// <summary>
/// Names who is to blame for the latencies of a trace. Reads it twice: once for what must be known beforehand (images that only the end
/// rundown lists, meanings of stack keys), once by time.
/// </summary>
public static class BlameAnalysis
{
    /// <summary>A sample that is less late is on time, in ns.</summary>
    private const long SampleToleranceNanoseconds = 50_000;

    /// <summary>A longer gap ends a stretch at ISR or DPC level, in ns (contract, "level").</summary>
    internal const long LevelGapNanoseconds = 2_000;

    /// <summary>No wait that anybody asks about lasts longer.</summary>
    private const long LongestWaitSeconds = 3600;

    /// <summary>An idle CPU takes a thread within less, in ns.</summary>
    private const long IdleNanoseconds = 100_000;

    /// <summary>A thread that leaves its CPU sooner after it was switched in was held at its first steps, in ns.</summary>
    private const long FirstStepsNanoseconds = 100_000;

    /// <summary>A runtime lets its threads go on around the events that say so, in ns.</summary>
    private const long PauseSlackNanoseconds = 100_000;

    /// <summary>How long records that belong to an episode may follow it, in ns.</summary>
    private const long LagNanoseconds = 20_000_000;

    /// <summary>Analyses a trace.</summary>
    /// <param name="path">The path as the user gave it: the report shows it.</param>
    /// <param name="reader">The trace; a pipe is copied to a temporary file by this.</param>
    /// <param name="request">What is asked.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static BlameResult Analyze(string path, EtlReader reader, BlameRequest request)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentNullException.ThrowIfNull(request);
        TraceFacts facts = TraceFacts.Read(reader);
        TraceSummary summary = facts.Summary(path, reader);
        if (UnjudgedTrace.Answer(reader, request, summary, facts.Losses) is { } unjudged)
        {
            return unjudged;
        }

        TraceClock clock = reader.Header.Clock;
        var modules = new ModuleMap(facts.Images, facts.Calls);
        var owners = new OwnerSearch(modules);
        var losses = new LossMap();
        foreach (TraceLoss loss in facts.Losses)
        {
            losses.Add(loss.Cpu ?? -1, loss.FromTicks, loss.ToTicks);
        }

        if (facts.Tracer.Marks.Captures is [var captured])
        {
            losses.AddLeftOut(-1, captured.WindowToTicks, long.MaxValue);
        }

        if ((reader.Header.Mode & (EtlLogFileMode.Circular | EtlLogFileMode.Buffering)) != 0)
        {
            // What a CPU did before its first record that is left was overwritten, on each at another time.
            foreach (CpuActivity cpu in facts.Cpus)
            {
                losses.AddLeftOut(cpu.Cpu, long.MinValue, cpu.FirstTicks);
            }
        }

        var cpus = new CpuHistory?[HighestCpu(facts) + 1];
        var clocks = new SampleClock?[cpus.Length];
        var budget = request.Budget(facts.Contents.Events);
        var blackouts = new BlackoutSearch(
            cpus,
            clocks,
            owners,
            modules,
            losses,
            new DarkTimes(clocks, summary.Has.ContextSwitches, summary.Has.IsrDpc),
            clock.TicksPerSecond,
            facts.Tracer.SampleIntervalTicks,
            budget);
        var clients = new FrameworkClients(modules, owners, clock.TicksPerSecond);
        var shares = new SampleShares(modules);
        var threads = new ThreadOwners(facts.Threads, modules, owners);
        List<EpisodeCandidate> measured = MeasuredEpisodes(facts, clock, request);
        var faults = new HardFaults();
        var power = new PowerHistory(cpus.Length, HasSpeeds(facts), (group, number) => IndexOf(facts, cpus.Length, group, number));
        var locks = new LockHistory(clock.TicksPerSecond, summary.Machine.Mhz);
        var routines = new KernelRoutines(modules, request.Names);
        var spins = new SpinSearch(cpus, locks, blackouts, owners, modules, routines, budget, clock.TicksPerSecond);
        var idleExits = new IdleExitSearch(power, clock.TicksPerSecond);
        var accounting =
            new Accounting(
                owners, modules, blackouts, facts.Threads.ProcessOf, summary.Has.IsrDpc, spins, idleExits, power, routines, budget);
        var readies = new MeasuredReadies(facts.Tracer.Wakeups.Select(wakeup => wakeup.ThreadId));
        var inquiry = new EpisodeInquiry(
            Inquiry(request, clock, facts, readies, losses),
            cpus,
            clocks,
            blackouts,
            accounting,
            new EarlierParts(cpus, clocks, accounting, owners, modules, faults),
            new StripDrawing(blackouts, owners, budget),
            new SettledSamples(cpus, shares, threads),
            budget,
            measured);
        var pass = new TimelinePass(
            Timeline(request, reader, facts, summary, readies),
            cpus,
            clocks,
            inquiry,
            clients,
            modules,
            losses,
            [.. facts.Tracer.PitSamples.OrderBy(sample => sample.Ticks)],
            facts.Stacks,
            faults,
            power,
            locks);
        var sink = new TimelinePass.Sink(pass);
        reader.ReadAhead(ref sink, KernelHook.SampledProfile);
        pass.Complete();
        reader.Health.Add(HealthCounter.ShortPayloads, pass.ShortPayloads);
        BlackoutOwners.Assign(blackouts.Found, shares, ticks => clock.NanosecondsFromHeader(ticks) / 1e9);
        return new BlameReportMaking(new BlameFindings
        {
            Request = request,
            Summary = summary,
            Facts = facts,
            Clock = clock,
            Modules = modules,
            Behind = new FrameworkOwners(clients, facts, modules),
            Shares = shares,
            Threads = threads,
            Budget = budget,
            Blackouts = blackouts,
            Inquiry = inquiry,
            Pass = pass,
            Power = power,
            Losses = losses,
        }).Make();
    }

    /// <summary>Whether the trace tells how fast its CPUs ran.</summary>
    private static bool HasSpeeds(TraceFacts facts) => facts.Contents.Counts.Classes.Any(count =>
        count.Provider == ParkedProcessors.Provider
        || count.Number is KernelHook.PerformanceStateChange or (KernelHook.PerformanceStateChange & 0xFF));

    private static int IndexOf(TraceFacts facts, int cpus, ushort group, byte number)
    {
        for (int cpu = 0; cpu < cpus; cpu++)
        {
            if (facts.Devices.ProcessorOf(cpu) == (group, number))
            {
                return cpu;
            }
        }

        return -1;
    }

    private static int HighestCpu(TraceFacts facts)
    {
        int events = facts.Cpus.Count > 0 ? facts.Cpus[^1].Cpu : 0;
        int samples = facts.Tracer.PitSamples.Count > 0 ? facts.Tracer.PitSamples.Max(sample => sample.Cpu) : 0;
        int wakeups = facts.Tracer.Wakeups.Count > 0 ? facts.Tracer.Wakeups.Max(wakeup => wakeup.Cpu) : 0;
        return Math.Clamp(Math.Max(events, Math.Max(samples, wakeups)), 0, EtlWriter.MaximumProcessors - 1);
    }

    private static InquirySettings Inquiry(
        BlameRequest request, TraceClock clock, TraceFacts facts, MeasuredReadies readies, LossMap losses) => new()
        {
            Losses = losses,
            ThresholdTicks = TicksOf(request.Threshold, clock),
            LongestTicks = TicksOf(Duration.FromSeconds(LongestWaitSeconds), clock),
            LagTicks = TicksOf(new Duration(LagNanoseconds), clock),
            FromTicks = request.From is { } from ? clock.TicksAt(from.Nanoseconds) : long.MinValue,
            ToTicks = request.To is { } to ? clock.TicksAt(to.Nanoseconds) : long.MaxValue,
            Cpus = request.Cpus?.ToHashSet(),
            Marks = facts.Tracer.Marks,
            WantsGaps = request.Probe == ProbeChoice.Gap || IsForAll(request),
            WithStrips = request.WithStrips,
            AffinityOf = (thread, ticks) =>
                facts.Cpus.Count > 0 && facts.Cpus[^1].Cpu < 64 ? facts.Threads.Find(thread, ticks)?.Affinity : null,
            Readies = readies,
            ParkedOf = facts.Parked.Of,
            LeastIdleTicks = TicksOf(new Duration(IdleNanoseconds), clock),
            Ticks = new TimerTicks(facts.Tracer.Wakeups, TicksOf(request.Threshold, clock), clock.TicksPerSecond),
            PausesOf = (thread, from, to) => facts.RuntimePauses.Count > 0 && facts.Threads.ProcessOf(thread, to) is { } process
                ? facts.RuntimePauses.Within(process, from, to)
                : [],
        };

    private static TimelineSettings Timeline(
        BlameRequest request, EtlReader reader, TraceFacts facts, TraceSummary summary, MeasuredReadies readies)
    {
        TraceClock clock = reader.Header.Clock;
        bool hasWakeups = facts.Tracer.Wakeups.Count > 0;
        long first = facts.Contents.FirstTicks ?? 0;
        long interval100ns = facts.SampleIntervals.At(first) ?? facts.Contents.SampleInterval100ns ?? 0;
        long slackTicks = TicksOf(new Duration(PauseSlackNanoseconds), clock);
        bool lacksLevels = !summary.Has.IsrDpc;
        return new TimelineSettings
        {
            TicksPerSecond = clock.TicksPerSecond,
            CpuCount = Math.Max(1, facts.Cpus.Count),
            ThresholdTicks = TicksOf(request.Threshold, clock),
            LongestWaitTicks = TicksOf(Duration.FromSeconds(LongestWaitSeconds), clock),
            SampleIntervalTicks = TicksOf(new Duration(100 * interval100ns), clock),
            SampleToleranceTicks = TicksOf(new Duration(SampleToleranceNanoseconds), clock),
            LevelGapTicks = TicksOf(new Duration(LevelGapNanoseconds), clock),
            WantsThreads = request.Probe == ProbeChoice.Thread || (request.Probe == ProbeChoice.Auto && !hasWakeups),
            WantsHogs = IsForAll(request),
            WantsLevels = request.Probe == ProbeChoice.Level || IsForAll(request),
            IsVictim = (thread, priority, ticks) => IsVictim(request, facts, thread, priority, ticks),
            ProcessOf = facts.Threads.ProcessOf,
            PauseOf = facts.RuntimePauses.Count == 0
                ? null
                : (thread, left, ready) => facts.Threads.ProcessOf(thread, left) is { } process
                    ? facts.RuntimePauses.Held(process, left, ready, slackTicks)
                    : null,
            ProfileInterrupt = facts.ProfileInterrupt,
            MeasuredReadies = readies,
            FirstStepsTicks = TicksOf(new Duration(FirstStepsNanoseconds), clock),
            WithRunTimes = lacksLevels,
            WithSamples = lacksLevels,
            UsageFromTicks = request.WithUsage ? first : null,
        };
    }

    /// <summary>Whether nothing narrows what counts: one thread or process did not wait for what kept a CPU without it.</summary>
    private static bool IsForAll(BlameRequest request) => request is { Probe: ProbeChoice.Auto, Thread: null, Process: null };

    private static bool IsVictim(BlameRequest request, TraceFacts facts, uint thread, int priority, long ticks)
    {
        if (request.Thread is { } only)
        {
            return thread == only;
        }

        if (request.Process is not { } process)
        {
            return priority >= request.MinPriority;
        }

        return facts.Threads.ProcessOf(thread, ticks) is { } id
            && (string.Equals(facts.Threads.NameOf(id, ticks), process, StringComparison.OrdinalIgnoreCase)
                || string.Equals(id.ToString(CultureInfo.InvariantCulture), process, StringComparison.Ordinal));
    }

    private static List<EpisodeCandidate> MeasuredEpisodes(TraceFacts facts, TraceClock clock, BlameRequest request)
    {
        List<EpisodeCandidate> measured = [];
        if (request.Probe is not (ProbeChoice.Auto or ProbeChoice.Wakeup))
        {
            return measured;
        }

        long threshold = TicksOf(request.Threshold, clock);
        foreach (MeasuredWakeup wakeup in facts.Tracer.Wakeups)
        {
            long end = wakeup.ServedTicks;
            if (end - wakeup.ExpectedTicks >= threshold && (request.Thread is not { } thread || wakeup.ThreadId == thread))
            {
                measured.Add(new EpisodeCandidate
                {
                    Probe = ProbeKind.Wakeup,
                    FromTicks = wakeup.ExpectedTicks,
                    ToTicks = end,
                    Cpu = wakeup.Cpu,
                    ThreadId = wakeup.ThreadId,
                    Priority = wakeup.Priority,
                    Wakeup = wakeup,
                });
            }
        }

        measured.Sort(static (one, other) => one.ToTicks.CompareTo(other.ToTicks));
        return measured;
    }

    private static long TicksOf(Duration duration, TraceClock clock) =>
        (long)Int128.Clamp((Int128)duration.Nanoseconds * clock.TicksPerSecond / 1_000_000_000, long.MinValue, long.MaxValue);
}
