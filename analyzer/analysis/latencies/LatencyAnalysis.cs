using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Report;

namespace Tracer.Analysis.Latencies;

/// <summary>
/// Measures the latencies of a trace: interrupt, DPC, DPC interrupt and thread latency as Cota-Robles &amp; Held 2.1 define them, and the
/// responses and lost times of jobs, as far as the trace allows. It is read twice: for facts, then in order of time. Nothing is blamed.
/// </summary>
public static class LatencyAnalysis
{
    /// <param name="reader">The trace; a pipe is copied to a temporary file by this method.</param>
    /// <param name="sink">Takes each latency; null for none.</param>
    /// <param name="interference">Learns what would delay a graph; null where nobody asked.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static LatencyFindings Measure(
        string path, EtlReader reader, LatencyRequest request, ILatencySink? sink = null,
        InterferenceRecording? interference = null)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentNullException.ThrowIfNull(request);
        TraceFacts facts = TraceFacts.Read(reader);
        TraceSummary summary = facts.Summary(path, reader);
        string name = Path.GetFileName(path);
        if (WhyNot(reader) is { } reason)
        {
            return new LatencyFindings
            {
                Trace = summary,
                Measured = Duration.Zero,
                Parts = [],
                Callbacks = [],
                LeftOut = [],
                Warnings = [$"{name}: nothing is measured: {reason}."],
            };
        }

        TraceClock clock = reader.Header.Clock;
        MachineState machine = MachineStart.Of(facts, reader.Header, long.MaxValue, summary.Machine.Mhz, TracePart.Whole);
        int cpus = machine.Cpus.Length;
        var losses = new LossFront(machine.Losses, cpus);
        var recorder = new LatencyRecorder(facts, clock, request, losses, sink);
        var callbacks = new CallbackTimes(facts.Tracer.Wakeups.Select(wakeup => wakeup.ThreadId).ToHashSet());
        var jobs = new JobLatencies(recorder, callbacks, cpus, summary.Has.IsrDpc, facts.Glitches.DeadlineOf, machine.IsOneCpuOnly);
        InterferenceReading? delaying = null;
        string? unfit = interference is null ? null : WhyNoInterference(summary.Has);
        if (interference is not null && unfit is null)
        {
            interference.Begin(name, facts, clock, cpus);
            delaying = new InterferenceReading(interference, recorder, losses, cpus);
        }

        var switches = new SwitchLatencies(
            recorder, losses, callbacks, jobs, cpus, clock.TicksPerSecond, machine.IsOneCpuOnly, delaying);
        long? threshold = facts.Tracer.ThresholdNanoseconds is { } told
            ? clock.TicksOf((long)Math.Min(told, long.MaxValue))
            : null;
        TickSpan part = PartOf(facts);
        sink?.Begin(clock.NanosecondsFromHeader(part.StartTicks));
        bool someOnlyLate = new WakeupLatencies(recorder, callbacks).Take(facts.Tracer.Wakeups, threshold);
        var clocks = new ClockTicks(cpus);
        new LatencyReading(losses, switches, jobs, clocks, delaying, cpus).Read(reader);
        AddDriverLosses(recorder, facts);
        IReadOnlyList<(CallbackIntervals Told, IReadOnlyList<MeasuredJob> Jobs)> periodic = request.AsksBeats
            ? CallbackSearch.Of(callbacks, facts, clock, name, clocks.Nanoseconds(clock, facts.Tracer.Timers))
            : [];
        if (sink is not null)
        {
            foreach ((CallbackIntervals thread, IReadOnlyList<MeasuredJob> done) in periodic.Where(one => one.Jobs.Count > 0))
            {
                sink.AddJobs(thread, done);
            }

            TellUnobserved(sink, machine.Losses, switches.Holes, facts, clock);
            sink.End(clock.NanosecondsFromHeader(part.EndTicks), source => CallbackSearch.TimerPeriod(callbacks, source, clock));
        }

        return new LatencyFindings
        {
            Trace = summary,
            Measured = new Duration(clock.NanosecondsOf(part.EndTicks - part.StartTicks)),
            Parts = [.. LatencyGroups.Of(recorder, name, request.Splits)],
            Callbacks = [.. periodic.Select(one => one.Told)],
            LeftOut = [.. LatencyGroups.LeftOut(recorder)],
            WakeupsFrom = someOnlyLate && threshold is { } late ? new Duration(clock.NanosecondsOf(late)) : null,
            Warnings =
            [
                .. summary.Doubts?.Select(doubt => $"{name}: {doubt}") ?? [],
                .. Warnings(name, clock, switches, machine.Losses.Count),
                .. unfit is null ? [] : new[] { $"{name}: what would delay the graph is not known: {unfit}." },
            ],
        };
    }

    /// <summary>Why nothing can be measured in a trace; null where something can.</summary>
    private static string? WhyNot(EtlReader reader) =>
        UnjudgedTrace.WhyWithoutClock(reader) ?? (reader.Header.Mode.HasFlag(EtlLogFileMode.NoPerProcessorBuffering)
            ? "its session had one stream of buffers for all CPUs, so no event tells where it happened"
            : null);

    /// <summary>Why a trace tells nothing of what would delay a graph; null where it does.</summary>
    private static string? WhyNoInterference(RecordedKinds has) =>
        has.ContextSwitches && has.IsrDpc ? null : "it needs the kernel keywords CSWITCH, DPC and INTERRUPT";

    private static void AddDriverLosses(LatencyRecorder recorder, TraceFacts facts)
    {
        if (recorder.Wants(LatencyKind.Thread, LatencySource.Driver))
        {
            long discarded = (long)Math.Min(facts.Tracer.Timers.OfRuns.Sum(state => (double)state.Discarded), long.MaxValue);
            recorder.LeaveOut(LatencyKind.Thread, LatencyLeftOut.PowerState, discarded);
            long lost = (long)Math.Min(facts.Tracer.LostByDriver, long.MaxValue);
            recorder.LeaveOut(LatencyKind.Thread, LatencyLeftOut.NoRoom, lost + facts.Tracer.Dropped);
        }
    }

    private static TickSpan PartOf(TraceFacts facts)
    {
        TickSpan judged = facts.Tracer.Recorder.Judged ?? new TickSpan(long.MinValue, long.MaxValue);
        long from = Math.Max(facts.FirstTicks, judged.StartTicks);
        return new TickSpan(from, Math.Max(from, Math.Min(facts.LastTicks, judged.EndTicks)));
    }

    private static void TellUnobserved(ILatencySink sink, LossMap losses, IReadOnlyList<TickSpan> holes, TraceFacts facts, TraceClock clock)
    {
        foreach ((_, long from, long to) in losses.InOrder())
        {
            Tell(from, to);
        }

        foreach (TickSpan hole in holes)
        {
            Tell(hole.StartTicks, hole.EndTicks);
        }

        void Tell(long from, long to)
        {
            (from, to) = (Math.Max(from, facts.FirstTicks), Math.Min(to, facts.LastTicks));
            if (from < to)
            {
                sink.AddUnobserved(clock.NanosecondsFromHeader(from), clock.NanosecondsFromHeader(to));
            }
        }
    }

    private static IEnumerable<string> Warnings(string name, TraceClock clock, SwitchLatencies switches, int losses)
    {
        if (clock.Kind == TraceClockKind.SystemTime)
        {
            yield return $"{name}: its clock is the system time, which is too coarse for latencies: record with the performance counter.";
        }

        if (losses > 0 || switches.BrokenSwitches > 0)
        {
            yield return $"{name}: records are missing at {Counted.Of(losses + switches.BrokenSwitches, "place")}; what was waited for "
                + "there is left out.";
        }

        if (switches.Holes.Count > 0)
        {
            yield return $"{name}: {Counted.Of(switches.Holes.Count, "time")} no CPU switched threads for seconds: the machine slept, or "
                + "records are missing.";
        }
    }
}
