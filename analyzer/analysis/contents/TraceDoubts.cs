using Tracer.Analysis.Clocks;

namespace Tracer.Analysis.Contents;

/// <summary>Says what a file tells and its own records disprove, and what counts instead.</summary>
public static class TraceDoubts
{
    /// <summary>So many CPUs are named one by one.</summary>
    private const int MostCpus = 8;

    /// <summary>What the end of the session may be behind, in seconds: merged files end before their last event.</summary>
    private const int EndTolerance = 5;

    /// <summary>The most important first; a sentence each.</summary>
    /// <param name="health">What was odd about it.</param>
    internal static IReadOnlyList<string> Of(EtlReader reader, TraceContents contents, TraceHealth health)
    {
        List<string> doubts = [.. OfClocks(contents.Clocks, reader.Header.Clock)];
        if (health[HealthCounter.StrayTimes] is > 0 and long stray)
        {
            doubts.Add(stray == 1
                ? "1 event has a time that no other event supports: it counts as logged with the event before it, and its time is ignored."
                : string.Create(
                    CultureInfo.InvariantCulture,
                    $"{Counted.Of(stray, "event")} have times that no other event supports: they count as logged with the events before ")
                    + "them, and their times are ignored.");
        }

        if (health[HealthCounter.RepeatedBuffers] is > 0 and long repeated)
        {
            doubts.Add($"The file holds {Counted.Of(repeated, "buffer")} twice, byte for byte: they count once.");
        }

        doubts.AddRange(reader.Contradictions.Select(Sentence));
        if (reader.HasHeader)
        {
            AddRecords(doubts, reader.Header, contents);
            AddTimes(doubts, reader, contents);
        }

        return doubts;
    }

    /// <summary>What clocks that disagree mean, in one sentence; none where they agree.</summary>
    private static IEnumerable<string> OfClocks(ClockDisagreement? clocks, TraceClock clock)
    {
        if (clocks is null)
        {
            yield break;
        }

        const string Judged = "Only what one CPU's own records show is judged: no wake-up from one CPU to another.";
        if (clocks.AtOnce > 0)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"The clocks of the CPUs disagree, and by how much is not known: threads seem to run on two CPUs at once, ")
                + $"{Counted.Of(clocks.AtOnce, "time")}, mostly with CPU {NumberRanges.Of([.. clocks.AheadTicks.Keys])}. {Judged}";
            yield break;
        }

        if (clocks.LateWakeups > 0)
        {
            (int[] cpus, long least) = ([.. clocks.AheadTicks.Keys.Order()], clocks.AheadTicks.Values.Min());
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"The clocks of the CPUs seem to disagree: of {Counted.Of(clocks.LateWakeups, "thread")} that one CPU made ready for ")
                + $"a free one hardly any ran within {Length(clock, least)}, all of them from or to CPU {NumberRanges.Of(cpus)}. {Judged}";
            yield break;
        }

        if (clocks.IsByEnds)
        {
            (int late, long by) = clocks.AheadTicks.First();
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"The clocks of the CPUs seem to disagree: the records of CPU {late} begin and end about {Length(clock, by)} ")
                + $"{(by > 0 ? "later" : "earlier")} than those of all others. {Judged}";
            yield break;
        }

        (int Cpu, long Ticks)[] off = [.. clocks.AheadTicks.OrderBy(cpu => cpu.Key).Select(cpu => (cpu.Key, cpu.Value))];
        string upTo = clocks.IsConstant ? "" : "up to ";
        string names = string.Join(", ", off.Take(MostCpus).Select(cpu => string.Create(
            CultureInfo.InvariantCulture,
            $"CPU {cpu.Cpu} by {upTo}{Length(clock, cpu.Ticks)} {(cpu.Ticks > 0 ? "ahead" : "behind")}")));
        string more = off.Length > MostCpus
            ? string.Create(CultureInfo.InvariantCulture, $" and {off.Length - MostCpus} more")
            : "";
        yield return clocks.IsConstant
            ? $"The clocks of the CPUs disagree: {names}{more}. Threads ran before they were made ready until these times were moved by "
                + "that, as they are here."
            : $"The clocks of the CPUs disagree, and not by the same at all times: {names}{more}. Threads ran before they were made ready. "
                + Judged;
    }

    private static string Sentence(HeaderContradiction one) => one.Statement switch
    {
        HeaderStatement.PointerBytes => string.Create(
            CultureInfo.InvariantCulture,
            $"The file's header was written by a program with {Bits(one.Told)} pointers, but the machine's own records have ")
            + string.Create(CultureInfo.InvariantCulture, $"{one.Found * 8} bits: these count."),
        HeaderStatement.ProcessorCount => string.Create(
            CultureInfo.InvariantCulture,
            $"The file's header says {Counted.Of(one.Told, "CPU")}, but CPU {one.Found - 1} has buffers: {one.Found} CPUs count."),
        HeaderStatement.ClockKind => $"The file's header calls its clock {Name(one.Told)}, but its time stamps are those of "
            + $"{Name(one.Found)}: they count.",
        HeaderStatement.ClockRate => string.Create(
            CultureInfo.InvariantCulture,
            $"The file's header gives its clock {one.Told:N0} Hz; the length of the session and the time since the start of the ")
            + (one.Found > 0
                ? string.Create(CultureInfo.InvariantCulture, $"system fit a clock of {one.Found:N0} Hz: this counts.")
                : "system fit one that no computer has: the rate is not known."),
        _ => "The time stamp of the file's header does not belong to this trace: the first event counts as its start.",
    };

    private static string Length(TraceClock clock, long ticks) =>
        ReadableDuration.Of(new Duration(clock.NanosecondsOf(Math.Abs(ticks))));

    private static string Bits(long bytes) => bytes is 4 or 8
        ? string.Create(CultureInfo.InvariantCulture, $"{bytes * 8}-bit")
        : string.Create(CultureInfo.InvariantCulture, $"{bytes} bytes long");

    private static string Name(long kind) => (TraceClockKind)kind switch
    {
        TraceClockKind.SystemTime => "the system time",
        TraceClockKind.CpuCycles => "the cycle counter",
        _ => "the performance counter",
    };

    private static void AddRecords(List<string> doubts, EtlFileHeader header, TraceContents contents)
    {
        if (!header.Mode.HasFlag(EtlLogFileMode.NoPerProcessorBuffering)
            && contents.Processors is { } processors && processors != header.ProcessorCount && processors >= contents.CpusSeen)
        {
            doubts.Add(string.Create(
                CultureInfo.InvariantCulture,
                $"The file's header says {Counted.Of(header.ProcessorCount, "CPU")}, the kernel says {processors}: the kernel counts."));
        }

        if (contents.OsBuild is { } build && header.OsBuild > 0 && build != header.OsBuild)
        {
            doubts.Add(string.Create(
                CultureInfo.InvariantCulture,
                $"The file's header says Windows build {header.OsBuild}, and what was added by the merge says {build}: the header "
                + $"counts, since the merge need not have been on the same machine."));
        }
    }

    private static void AddTimes(List<string> doubts, EtlReader reader, TraceContents contents)
    {
        TraceClock clock = reader.Header.Clock;
        if (!reader.IsClockKnown || clock.StartFileTime <= 0)
        {
            return;
        }

        if (reader.Header.BootFileTime > clock.StartFileTime)
        {
            doubts.Add("The file's header says that the system started after the trace did: nothing else proves either time.");
        }

        long end = reader.Header.EndFileTime;
        if (end != 0 && contents.LastTicks is { } last && clock.FileTimeAt(last) is { } lastTime
            && end < lastTime - (EndTolerance * TimeSpan.TicksPerSecond))
        {
            doubts.Add(end < clock.StartFileTime
                ? "The file's header puts the end before the start: the time stamps count."
                : "The file's header puts the end before the last events: the time stamps count.");
        }
    }
}
