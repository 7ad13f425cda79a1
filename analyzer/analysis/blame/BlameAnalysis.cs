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
    private const long LevelGapNanoseconds = 2_000;

    /// <summary>Firmware and devices stop a machine for less; sleep, and pauses of a virtual machine, last longer.</summary>
    private const long LongestStopSeconds = 5;

    /// <summary>No wait that anybody asks about lasts longer.</summary>
    private const long LongestWaitSeconds = 3600;

    /// <summary>An idle CPU takes a thread within less, in ns.</summary>
    private const long IdleNanoseconds = 100_000;

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
        TraceClock clock = reader.Header.Clock;
        var modules = new ModuleMap(facts.Images);
        var owners = new OwnerSearch(modules);
        var losses = new LossMap();
        foreach (TraceLoss loss in facts.Losses)
        {
            losses.Add(loss.Cpu ?? -1, loss.FromTicks, loss.ToTicks);
        }

        var cpus = new CpuHistory?[HighestCpu(facts) + 1];
        var clocks = new SampleClock?[cpus.Length];
        var blackouts = new BlackoutSearch(
            cpus,
            clocks,
            owners,
            modules,
            losses,
            summary.Has.ContextSwitches,
            summary.Has.IsrDpc,
            TicksOf(Duration.FromSeconds(LongestStopSeconds), clock));
        var clients = new FrameworkClients(modules, owners, clock.TicksPerSecond);
        var shares = new SampleShares(modules);
        List<EpisodeCandidate> measured = MeasuredEpisodes(facts, clock, request);
        var inquiry = new EpisodeInquiry(
            Inquiry(request, clock, facts),
            cpus,
            clocks,
            blackouts,
            new Accounting(owners, modules, blackouts, facts.Threads.ProcessOf, summary.Has.IsrDpc),
            new StripDrawing(blackouts),
            measured);
        var pass = new TimelinePass(
            Timeline(request, reader, facts, summary),
            cpus,
            clocks,
            inquiry,
            clients,
            modules,
            shares,
            losses,
            [.. facts.Tracer.PitSamples.OrderBy(sample => sample.Ticks)],
            facts.Stacks);
        var sink = new TimelinePass.Sink(pass);
        reader.ReadAhead(ref sink, KernelHook.SampledProfile);
        pass.Complete();
        reader.Health.Add(HealthCounter.ShortPayloads, pass.ShortPayloads);
        BlackoutOwners.Assign(blackouts.Found, shares);
        return new BlameReportMaking(new BlameFindings
        {
            Request = request,
            Summary = summary,
            Facts = facts,
            Clock = clock,
            Modules = modules,
            Clients = clients,
            Shares = shares,
            Blackouts = blackouts,
            Inquiry = inquiry,
            Pass = pass,
            Losses = losses,
        }).Make();
    }

    private static int HighestCpu(TraceFacts facts)
    {
        int events = facts.Cpus.Count > 0 ? facts.Cpus[^1].Cpu : 0;
        int samples = facts.Tracer.PitSamples.Count > 0 ? facts.Tracer.PitSamples.Max(sample => sample.Cpu) : 0;
        int wakeups = facts.Tracer.Wakeups.Count > 0 ? facts.Tracer.Wakeups.Max(wakeup => wakeup.Cpu) : 0;
        return Math.Clamp(Math.Max(events, Math.Max(samples, wakeups)), 0, EtlWriter.MaximumProcessors - 1);
    }

    private static InquirySettings Inquiry(BlameRequest request, TraceClock clock, TraceFacts facts) => new()
    {
        ThresholdTicks = TicksOf(request.Threshold, clock),
        LongestTicks = TicksOf(Duration.FromSeconds(LongestWaitSeconds), clock),
        LagTicks = TicksOf(new Duration(LagNanoseconds), clock),
        FromTicks = request.From is { } from ? clock.TicksAt(from.Nanoseconds) : long.MinValue,
        ToTicks = request.To is { } to ? clock.TicksAt(to.Nanoseconds) : long.MaxValue,
        Cpus = request.Cpus?.ToHashSet(),
        WantsGaps = request.Probe is ProbeChoice.Auto or ProbeChoice.Gap,
        WithStrips = request.WithStrips,
        AffinityOf = (thread, ticks) =>
            facts.Cpus.Count > 0 && facts.Cpus[^1].Cpu < 64 ? facts.Threads.Find(thread, ticks)?.Affinity : null,
        LeastIdleTicks = TicksOf(new Duration(IdleNanoseconds), clock),
    };

    private static TimelineSettings Timeline(BlameRequest request, EtlReader reader, TraceFacts facts, TraceSummary summary)
    {
        TraceClock clock = reader.Header.Clock;
        bool hasWakeups = facts.Tracer.Wakeups.Count > 0;
        long first = facts.Contents.FirstTicks ?? 0;
        long interval100ns = facts.SampleIntervals.At(first) ?? facts.Contents.SampleInterval100ns ?? 0;
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
            WantsHogs = request is { Probe: ProbeChoice.Auto, Thread: null, Process: null },
            WantsLevels = request.Probe is ProbeChoice.Auto or ProbeChoice.Level,
            IsVictim = (thread, priority, ticks) => IsVictim(request, facts, thread, priority, ticks),
            ProcessOf = facts.Threads.ProcessOf,
            WithRunTimes = lacksLevels,
            WithSamples = lacksLevels,
        };
    }

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
