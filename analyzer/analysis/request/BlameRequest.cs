using Tracer.Analysis.Contents;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Report;

namespace Tracer.Analysis.Request;

/// <summary>What an analysis is asked to do.</summary>
public sealed record BlameRequest
{
    /// <summary>Least latency of an episode.</summary>
    public Duration Threshold { get; init; } = Defaults.Threshold;

    /// <summary>
    /// A latency of which it is asked whether any reached it, at least the threshold; null where that is not asked.
    /// </summary>
    public Duration? Limit { get; init; }

    public ProbeChoice Probe { get; init; } = ProbeChoice.Auto;

    /// <summary>The lowest priority of a thread whose wake-ups count as probes, 0 to 31.</summary>
    public int MinPriority { get; init; } = Defaults.MinimumPriority;

    /// <summary>A process, by image name or id: wake-ups of all its threads are probes, whatever their priority. Null for none.</summary>
    public string? Process { get; init; }

    /// <summary>The only thread whose wake-ups are probes; null for no restriction.</summary>
    public long? Thread { get; init; }

    /// <summary>The length of the beat that the victims keep, where the user knows it; null to learn it from their wake-ups.</summary>
    public Duration? Period { get; init; }

    /// <summary>How long after it should run a job should be done; null for the next beat of a thread that keeps one.</summary>
    public Duration? Deadline { get; init; }

    /// <summary>The only CPUs to examine for episodes; null for all.</summary>
    public IReadOnlyList<int>? Cpus { get; init; }

    /// <summary>Episodes that begin before this are ignored; time since the header event. Null for no limit.</summary>
    public Duration? From { get; init; }

    /// <summary>Episodes that begin after this are ignored; time since the header event. Null for no limit.</summary>
    public Duration? To { get; init; }

    /// <summary>
    /// The times as the user wrote them, to be found in the trace, in the place of <see cref="From"/> and <see cref="To"/>; null where
    /// those hold.
    /// </summary>
    public RequestedTimes? Times { get; init; }

    /// <summary>The moment around which all is of interest, from the header event; null for none.</summary>
    public Duration? At { get; init; }

    /// <summary>The number of the only glitch that is asked about, from 1; null for all.</summary>
    public int? Glitch { get; init; }

    /// <summary>From where seconds are counted in the report, from the header event; null for that.</summary>
    public Duration? Zero { get; init; }

    /// <summary>Whether to keep, for each episode, what ran on the CPUs during it (<see cref="BlameResult.Strips"/>).</summary>
    public bool WithStrips { get; init; }

    /// <summary>Whether to keep what ran on the CPUs around the worst episodes (<see cref="BlameResult.Lanes"/>).</summary>
    public bool WithLanes { get; init; }

    /// <summary>Name of a culprit without which the episodes are replayed (<see cref="BlameReport.Without"/>); null for none.</summary>
    public string? Without { get; init; }

    /// <summary>Name of a suspect whose evidence is wanted (<see cref="BlameReport.Suspect"/>); null for none.</summary>
    public string? Suspect { get; init; }

    /// <summary>Whether to add up the time of ISRs and DPCs by module and CPU (<see cref="BlameResult.Usage"/>).</summary>
    public bool WithUsage { get; init; }

    /// <summary>Whether <see cref="BlameResult.TimeBins"/> are wanted.</summary>
    public bool WithTimeBins { get; init; }

    /// <summary>Whether <see cref="BlameResult.Machine"/> is wanted.</summary>
    public bool WithMachine { get; init; }

    /// <summary>Whether to list every routine (<see cref="BlameReport.Routines"/>): with symbols, each is looked up.</summary>
    public bool WithTables { get; init; } = true;

    /// <summary>Names the functions of images; null where no symbols are at hand.</summary>
    public IFunctionNames? Names { get; init; }

    /// <summary>The same request with its times as they are in a trace.</summary>
    /// <param name="facts">What the first reading learnt.</param>
    /// <param name="isOfPart">Whether a part of the trace is wanted: then a glitch is the moment around which that lies.</param>
    /// <exception cref="MeaninglessRequestException">The trace has no such time.</exception>
    internal BlameRequest In(EtlFileHeader header, TraceFacts facts, bool isOfPart = false)
    {
        if (Times is null)
        {
            return this;
        }

        IReadOnlyList<TraceMark> marks = facts.Marks.All;
        IReadOnlyList<RecordedGlitch> glitches =
            GlitchesAndMarks.Of(facts.GlitchesOf(Process), marks, TraceTimes.MarkReach(header.Clock));
        FoundTimes found = Times.In(new TraceTimes(header, facts.FirstTicks, facts.LastTicks, marks, glitches));
        BlameRequest there = this with { Times = null, From = found.From, To = found.To, At = found.At, Zero = found.Zero };
        return Times.At is not { Glitch: { } number } || Probe is not (ProbeChoice.Auto or ProbeChoice.Glitch) ? there
            : isOfPart ? there with { Probe = ProbeChoice.Glitch }
            : Times.At.IsAnyGlitch ? there with { Probe = ProbeChoice.Glitch, From = null, To = null, At = null }
            : there with { Probe = ProbeChoice.Glitch, Glitch = number };
    }

    /// <summary>The same request with the times of the part that a slice is judged in, where the user asked for no less.</summary>
    /// <param name="slice">The slice; null where the trace is whole.</param>
    internal BlameRequest Within(SliceOrigin? slice, TraceClock clock)
    {
        if (slice is null)
        {
            return this;
        }

        var from = new Duration(clock.NanosecondsFromHeader(slice.FromTicks));
        var to = new Duration(clock.NanosecondsFromHeader(slice.ToTicks));
        return this with { From = From > from ? From : from, To = To < to ? To : to };
    }

    /// <summary>A time as reports print it: counted from <see cref="Zero"/>; null for none.</summary>
    internal Duration? Shown(Duration? time) => time is { } known ? Minus(known, Zero) : null;

    /// <summary>A time as it is counted from another; the end of the range where it leaves that.</summary>
    internal static Duration Minus(Duration time, Duration? zero) => new((long)Int128.Clamp(
        (Int128)time.Nanoseconds - (zero ?? Duration.Zero).Nanoseconds, long.MinValue, long.MaxValue));

    /// <summary>Creates the limit of the work for a trace with a given number of events.</summary>
    internal Func<long, WorkBudget> Budget { get; init; } = static events => new WorkBudget(events);
}
