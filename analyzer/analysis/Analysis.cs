using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;

namespace Tracer.Analysis;

/// <summary>
/// Names the culprits for the latencies in a trace. The steps are facts, state of the machine, delays, owners of the code, causes, verdict
/// and report. The trace is read twice: first for what must be known beforehand (images listed only by the end rundown, meanings of stack
/// keys), then CPU by CPU in rounds of time, each followed by what the threads did over all CPUs.
/// </summary>
public static class BlameAnalysis
{
    /// <summary>
    /// Bytes that a process holds: with less, what it answered before is not worth a collection, which each of many answers would pay for.
    /// </summary>
    private const long WorthCollecting = 64 << 20;

    /// <summary>So much it must have taken since the last such collection, in bytes: many small answers share one.</summary>
    private const long NewBytes = WorthCollecting / 2;

    /// <summary>What it had taken in all by then, in bytes.</summary>
    private static long _taken;

    /// <param name="path">The path as the user gave it, which the report shows.</param>
    /// <param name="reader">The trace; a pipe is copied to a temporary file by this method.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    /// <exception cref="MeaninglessRequestException">The trace has no such part.</exception>
    public static BlameResult Analyze(string path, EtlReader reader, BlameRequest request) =>
        Analyze(path, reader, request, Rings.EventsOfRound);

    /// <param name="roundEvents">Most events of a CPU that are read before those of the next CPU; the answer is the same with any.</param>
    internal static BlameResult Analyze(string path, EtlReader reader, BlameRequest request, int roundEvents)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentNullException.ThrowIfNull(request);
        GiveBack();
        TraceFacts facts = TraceFacts.Read(reader);
        TraceSummary summary = facts.Summary(path, reader);
        if (UnjudgedTrace.Answer(reader, request, summary, facts.Losses) is { } unjudged)
        {
            return unjudged with { Machine = MachineOf(request, facts) };
        }

        TraceClock clock = reader.Header.Clock;
        request = request.In(reader.Header, facts);
        RequestedPart.Check(request, facts, clock);
        IReadOnlySet<uint>? standIns = StandIns(reader, request, facts);
        var settings = new AnalysisSettings(request, clock, facts, standIns);
        request = request.Within(facts.Tracer.Recorder.Slice, clock);
        WorkBudget budget = request.Budget(facts.Contents.Events);

        var modules = new ModuleMap(facts.Images, ModuleCalls.Of(facts));
        facts.ForgetCallStacks();
        MachineState machine = MachineStart.Of(facts, reader.Header, settings.ThresholdTicks, summary.Machine.Mhz, settings.Asked);
        if (request.WithTimeBins)
        {
            machine.Routines.KeepTimeBins(settings.FirstTicks, ActivityBinning.FirstTicks(clock));
        }

        var owners = new OwnersOfCode(facts, modules, machine, request.Names);
        var causes = new CauseSearch(facts, machine, owners, settings.Episodes(), settings.Measured, summary.Has, budget,
            request.WithLanes ? request.Budget(facts.Contents.Events) : null);
        DelaySettings whose = settings.Delays();
        var delays = new ThreadProbes(whose, machine, causes.Delays);
        UsagePerModule? usage = request.WithUsage ? new UsagePerModule(modules, settings.FirstTicks, machine.TicksPerSecond) : null;
        MachineSettings toFollow = settings.Machine(summary.Has.IsrDpc);
        var reading = new SecondReading(machine, toFollow, whose, delays, owners, usage, causes.Delays, causes.Sleeps, settings.LagTicks);
        reading.Read(reader, roundEvents);
        reader.Health.Add(HealthCounter.ShortPayloads, machine.Counts.ShortPayloads);

        return new BlameReportBuilder(new BlameFindings
        {
            Request = request,
            Summary = summary,
            Facts = facts,
            StandIns = standIns,
            Clock = TraceTimes.CountedFrom(clock, request.Zero),
            Modules = modules,
            Behind = owners.Behind,
            Shares = owners.Shares,
            Threads = owners.Threads,
            Machine = machine,
            Delays = delays.Measured(),
            Wakeups = settings.Wakeups,
            Glitches = settings.Glitches,
            Causes = causes.Complete(owners.Shares, clock),
            Usage = usage?.Result(clock, settings.CpusAsked, new Duration(clock.NanosecondsOf(settings.LastTicks - settings.FirstTicks))),
            Budget = budget,
        }).Make() with
        {
            Machine = MachineOf(request, facts),
        };
    }

    /// <summary>What this process took for an answer before is given back before this one takes as much: two do not add up.</summary>
    private static void GiveBack()
    {
        long taken = GC.GetTotalAllocatedBytes();
        if (GC.GetTotalMemory(forceFullCollection: false) >= WorthCollecting && taken - Volatile.Read(ref _taken) >= NewBytes)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            Volatile.Write(ref _taken, taken);
        }
    }

    /// <summary>
    /// The threads that are judged where no thread of the priority asked for ran: the periodic ones of any priority. Null where one ran,
    /// and where the question names other victims: what a filter leaves empty is not known.
    /// </summary>
    private static IReadOnlySet<uint>? StandIns(EtlReader reader, BlameRequest request, TraceFacts facts) =>
        request is { Probe: ProbeChoice.Auto or ProbeChoice.Glitch or ProbeChoice.Job or ProbeChoice.Thread, Thread: null, Process: null }
        && request.MinPriority <= Defaults.MinimumPriority
        && facts is { HighestPriority: >= 0, Tracer.Wakeups.Count: 0 } && facts.HighestPriority < request.MinPriority
            ? PeriodicThreads.Read(reader)
            : null;

    private static TracedMachine? MachineOf(BlameRequest request, TraceFacts facts) =>
        request.WithMachine ? new TracedMachine(facts.Contents.Computer, DriverInventory.Of(facts.Images)) : null;
}
