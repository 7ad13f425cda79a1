using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Request;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// Decides whether finding no episode shows that there was none. That takes the records that the question needs, measured waits of those
/// asked about, and no stretch without records in which an episode may be hidden. Whatever is not shown is not known.
/// </summary>
internal static class EarnedNone
{
    /// <summary>
    /// With fewer waits below the threshold one wait in four may be at or above it all the same (1 - 0.05^(1/10) is 26 %).
    /// </summary>
    private const int LeastWaits = 10;

    /// <summary>The waits are spread over at least this many thresholds: in less hardly an episode has room.</summary>
    private const int LeastThresholds = 2;

    /// <summary>Why finding no episode proves nothing; null where it shows that there was none.</summary>
    /// <param name="waits">The measured waits of those who were asked about.</param>
    /// <param name="coarseTicks">The step of the clock, in ticks, where it is too coarse for the threshold; otherwise null.</param>
    public static Unearned? WhyNot(BlameFindings findings, MeasuredWaits waits, long? coarseTicks)
    {
        bool needsWaits = findings.Request.Probe is not (ProbeChoice.Level or ProbeChoice.Gap);
        var holes = new Holes(findings, needsWaits && waits.Count > 0 ? waits.Cpus : null);
        return WithoutClock(findings, coarseTicks)
            ?? WithoutClocks(findings)
            ?? WithoutPart(findings)
            ?? WithoutRecords(findings, waits)
            ?? Of(UnearnedKind.Hole, holes.Reason(), holes.HasLostCpu)
            ?? Of(UnearnedKind.Hole, AcrossHoles(findings))
            ?? Of(UnearnedKind.Unserved, AcrossPause(findings))
            ?? WithoutSomeRecords(findings, waits.HasMeasured)
            ?? (needsWaits ? WithoutEnd(findings) ?? WithoutWaits(findings, waits) : null);
    }

    /// <summary>
    /// Why it is not known whether a latency reached the limit that is asked about, where none that was found did: as the rest of a
    /// sentence. Null where it is known, or not asked.
    /// </summary>
    public static string? WhyNotBelow(BlameFindings findings, Judgement judged) =>
        findings.Request.Limit is { } limit
        && WhyNot(findings with { Request = findings.Request with { Threshold = limit } }, judged.Waits, judged.CoarseTicks)
            is { Kind: UnearnedKind.Clock or UnearnedKind.Part or UnearnedKind.Records or UnearnedKind.Hole } lack
            ? lack.Reason
            : null;

    /// <summary>
    /// Whether only stretches without records keep the verdict from being none, and none of them has room for a latency of the limit.
    /// </summary>
    public static bool IsShownBelow(BlameFindings findings, Judgement judged) =>
        findings.Request.Limit is { } limit && judged is { Counted.Count: 0, Unearned.Kind: UnearnedKind.Hole }
        && WhyNot(findings with { Request = findings.Request with { Threshold = limit } }, judged.Waits, judged.CoarseTicks)
            is null or { Kind: UnearnedKind.FewWaits } && judged.Waits.Count >= LeastWaits;

    private static Unearned? Of(UnearnedKind kind, string? reason, bool isMuch = false) =>
        reason is null ? null : new Unearned(kind, reason, isMuch);

    private static string Text(InvariantText text) => text.Take();

    private static Unearned? WithoutClock(BlameFindings findings, long? coarseTicks) => coarseTicks is not { } step
        ? null
        : new Unearned(
            UnearnedKind.Clock,
            Text($"its clock moves in steps of {ReadableDuration.Of(findings.Length(step))}, too coarse for latencies of ")
                + $"{ReadableDuration.Of(findings.Request.Threshold)}; record with the performance counter as the clock");

    /// <summary>Whether waits from one CPU to another could not be measured, because the clocks disagree.</summary>
    private static Unearned? WithoutClocks(BlameFindings findings) => findings.Machine.IsOneCpuOnly
        ? new Unearned(
            UnearnedKind.Clock,
            "the clocks of its CPUs disagree, and could not be put right, so no wait from one CPU to another was measured")
        : null;

    private static Unearned? WithoutPart(BlameFindings findings) => findings.Machine is { Asked.IsWhole: false, Counts.AskedEvents: 0 }
        ? new Unearned(UnearnedKind.Part, $"it has no event {PartOf(findings.Request)}")
        : null;

    /// <summary>Whether records are missing that the question needs, however short everything else is.</summary>
    private static Unearned? WithoutRecords(BlameFindings findings, MeasuredWaits waits)
    {
        RecordedKinds has = findings.Summary.Has;
        bool hasDpcs = findings.Facts.Cpus.Any(cpu => cpu.Dpcs > 0);
        return findings.Request.Probe switch
        {
            ProbeChoice.Level => Lack((!has.IsrDpc, "DPC"), (!has.IsrDpc, "INTERRUPT")),
            ProbeChoice.Gap => Lack((!has.Samples, "PROFILE")),
            ProbeChoice.Wakeup => has.Wakeups
                ? null
                : new Unearned(
                    UnearnedKind.Records,
                    "it has no wake-ups measured by Tracer's driver or probe; record with 'tracer capture', or ask for --probe thread"),
            _ when waits.HasMeasured => null,
            ProbeChoice.Thread or ProbeChoice.Job => Lack((!has.ContextSwitches, "CSWITCH"), (!has.ReadyThread, "DISPATCHER")),

            // What keeps a timer or a device from making a thread ready is seen by the DPCs alone.
            _ => Lack((!hasDpcs, "DPC"), (!has.ContextSwitches, "CSWITCH"), (!has.ReadyThread, "DISPATCHER")),
        };

        Unearned? Lack(params (bool IsMissing, string Keyword)[] needed)
        {
            string[] missing = [.. needed.Where(one => one.IsMissing).Select(one => one.Keyword)];
            string[] all = [.. WhatIsMissing.Keywords(findings.Summary, findings.Facts).Union(missing)];
            return missing.Length == 0 ? null : new Unearned(UnearnedKind.Records, "it lacks " + WhatIsMissing.Listed(all));
        }
    }

    /// <summary>Whether one kind of records ends early, begins late, or is lacking on some CPUs, as the other kinds show.</summary>
    private static Unearned? WithoutSomeRecords(BlameFindings findings, bool hasMeasured)
    {
        VictimWaits waits = findings.Delays.Waits;
        string? reason = findings.Machine.SwitchlessCpus is [var cpu, ..]
            ? Text($"context switches are missing on CPU {cpu}, where samples show threads that no switch led to")
            : waits.Unmeasured is { } thread
            ? Text($"of {Counted.Of(thread.All, "wake-up")} of thread {thread.Thread} {thread.Unmeasured:N0} have no record of when it ")
                + "was made ready"
            : waits.UnmeasuredInRow is { } row
            ? Text($"from {ReadableDuration.At(findings.Time(row.FromTicks))} to {ReadableDuration.At(findings.Time(row.ToTicks))} ")
                + Text($"no record tells for {Counted.Of(row.Count, "wake-up")} when the thread was made ready")
            : hasMeasured || findings.Request.Probe is ProbeChoice.Gap or ProbeChoice.Thread or ProbeChoice.Job
            ? null
            : new MissingDpcs(findings).Reason();
        return Of(UnearnedKind.Records, reason);
    }

    /// <summary>What looks like a long wait, of which a part is missing, or a job after its deadline whose beginning is not kept.</summary>
    private static string? AcrossHoles(BlameFindings findings) => findings.Delays.UnfollowedDeadlines is > 0 and long jobs
        ? Text($"{Counted.Of(jobs, "job")} ended after the deadline, and too much ran meanwhile to follow them to their beginning")
        : findings.Delays is { AcrossLoss: > 0 and var across } delays && delays.LongestAcrossTicks >= findings.ThresholdTicks
        ? Text($"records are missing within {Counted.Of(across, "wait")} of {ReadableDuration.Of(findings.Request.Threshold)} or longer, ")
            + "so nobody knows how long they were"
        : null;

    /// <summary>The machine stood still: it slept, or it hung, and what nobody can tell is no innocence.</summary>
    private static string? AcrossPause(BlameFindings findings) =>
        findings.Pauses.FirstOrDefault(pause => pause.Length >= findings.Request.Threshold) is { } pause
            ? $"the machine stood still at {ReadableDuration.At(pause.Start)} for {ReadableDuration.Of(pause.Length)}, and no record tells "
                + "whether it slept"
            : null;

    /// <summary>A wait whose end is not in the trace, and that had been long by then.</summary>
    private static Unearned? WithoutEnd(BlameFindings findings) => findings.Delays.UnservedTicks is { } ticks
        && ticks >= findings.ThresholdTicks
        ? new Unearned(
            UnearnedKind.Unserved,
            $"a thread that was made ready had not run {ReadableDuration.Of(findings.Length(ticks))} later, when the records of threads "
                + "end")
        : null;

    private static Unearned? WithoutWaits(BlameFindings findings, MeasuredWaits waits)
    {
        if (waits.Count == 0)
        {
            return new Unearned(UnearnedKind.NoVictim, WhyNoWaits(findings));
        }

        string few = Text($"{Counted.Of(waits.Count, "wait")} of {Counted.Of(waits.Threads, "thread")} for a CPU ")
            + (waits.Count == 1 ? "was measured" : "were measured");
        return waits.Count < LeastWaits
                ? new Unearned(UnearnedKind.FewWaits, Text($"only {few}, and it takes {LeastWaits} to tell that none is long"))
            : waits.SpanTicks < LeastThresholds * findings.ThresholdTicks
                ? new Unearned(
                    UnearnedKind.FewWaits,
                    $"{few}, within {ReadableDuration.Of(findings.Length(waits.SpanTicks))}, too short for a wait of "
                        + $"{ReadableDuration.Of(findings.Request.Threshold)} to show; give a lower threshold")
            : null;
    }

    private static string WhyNoWaits(BlameFindings findings)
    {
        BlameRequest request = findings.Request;
        if (request.Probe == ProbeChoice.Wakeup)
        {
            return "none of the wake-ups that 'tracer capture' measured is in the part that was asked about";
        }

        if (request.Thread is { } thread)
        {
            string id = thread.ToString(CultureInfo.InvariantCulture);
            return findings.Facts.Threads.Threads.Any(one => one.ThreadId == thread)
                ? $"no wait of thread {id} for a CPU was measured"
                : $"it names no thread {id}, and no wait of one was measured";
        }

        if (request.Process is { } process)
        {
            bool isThere = findings.Facts.Threads.Processes.Any(one => ThreadTable.IsMeant(process, one.ProcessId, one.ImageName));
            return isThere ? $"no wait of {process} for a CPU was measured" : $"no process {process} is in it";
        }

        string priority = request.MinPriority.ToString(CultureInfo.InvariantCulture);
        return (findings.StandIns switch
        {
            null => $"no thread of priority {priority} or more was seen to wait for a CPU",
            { Count: 0 } => $"no thread of priority {priority} or more ran, and none of another priority keeps a beat",
            _ => $"no thread of priority {priority} or more ran, and none that keeps a beat was seen to wait for a CPU",
        }) + "; name the program that stutters with --process";
    }

    private static string PartOf(BlameRequest request)
    {
        string[] parts =
        [
            .. request.Cpus is { } cpus ? ["on CPU " + NumberRanges.Of(cpus)] : Array.Empty<string>(),
            .. request.Shown(request.From) is { } from ? [$"from {ReadableDuration.At(from)} on"] : Array.Empty<string>(),
            .. request.Shown(request.To) is { } to ? [$"up to {ReadableDuration.At(to)}"] : Array.Empty<string>(),
        ];
        return string.Join(", ", parts);
    }
}

/// <summary>Why finding no episode proves nothing.</summary>
/// <param name="Reason">The rest of a sentence that begins with "This trace can't tell: ".</param>
/// <param name="IsMuch">Whether most of what a CPU did is missing: whatever was found is told behind that.</param>
internal sealed record Unearned(UnearnedKind Kind, string Reason, bool IsMuch = false);

/// <summary>What is missing for a verdict.</summary>
internal enum UnearnedKind
{
    /// <summary>The clock is too coarse.</summary>
    Clock,

    /// <summary>Nothing was recorded of what was asked about.</summary>
    Part,

    /// <summary>Kinds of records.</summary>
    Records,

    /// <summary>The records of a stretch of time.</summary>
    Hole,

    /// <summary>Anybody who waited.</summary>
    NoVictim,

    /// <summary>The end of a wait, or whether the machine slept or hung.</summary>
    Unserved,

    /// <summary>What explains a glitch that Windows recorded.</summary>
    Glitch,

    /// <summary>Enough measured waits.</summary>
    FewWaits,
}
