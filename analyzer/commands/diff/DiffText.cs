using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>A comparison for people.</summary>
internal static class DiffText
{
    private const int MostRows = 10;
    private const int Hang = 4;

    /// <summary>Why the time of a framework, and of the drivers behind it, is not compared.</summary>
    public const string WhoseTime = "A framework, or a driver behind one: whose time it was is not always seen, so look at the routines.";

    public static ReportPage Page(DiffReport report, int columns)
    {
        var page = new ReportPage(columns);
        page.Line(0, new PagePiece(report.Summary.Conclusion, report.Summary.Verdict switch
        {
            DiffVerdict.Worse => Ink.Guilty,
            DiffVerdict.Better or DiffVerdict.Same => Ink.Innocent,
            _ => Ink.Doubt,
        }));
        page.BlankLine();
        page.Line(Hang, "base: " + SideOf(report.Base));
        page.Line(Hang, "new : " + SideOf(report.New));
        if (report.RunTimes is { } runTimes)
        {
            DiffRunTimes.Write(runTimes, page);
        }
        else
        {
            Compared(page, report);
        }

        if (report.Warnings.Count > 0)
        {
            page.Heading("What limits this");
            foreach (string warning in report.Warnings)
            {
                page.Line(Hang, "  " + warning);
            }
        }

        page.BlankLine();
        page.Line(0, NotRecorded(report));
        return page;
    }

    /// <summary>What may have changed unseen.</summary>
    public static string NotRecorded(DiffReport report) => $"No trace records: {string.Join(", ", report.NotRecorded)}.";

    /// <summary>How was compared.</summary>
    public static string MethodOf(DiffReport report) => $"episodes of {report.Settings.Threshold} or more; "
        + (report.Settings.Block is { } block ? $"blocks of {ReadableDuration.Of(block)}" : "whole traces as blocks")
        + $"; changes below {RoundedNumber.Of(report.Settings.LeastPercent)} %, or of percentiles below "
        + $"{ReadableDuration.Of(report.Settings.LeastTime)}, do not count; x is new over base, with its "
        + "95 % interval; chance corrected by Holm, of culprits by Benjamini and Hochberg";

    private static void Compared(ReportPage page, DiffReport report)
    {
        page.Line(Hang, MethodOf(report));
        Measures(page, report);
        Culprits(page, report);
        Beats(page, report);
        Machine(page, report);
        Activities(page, "DPCs and ISRs by driver, per second", report.Drivers);
        Activities(page, "DPCs and ISRs by routine, per second", report.Routines);
    }

    /// <summary>What a side is, and how much of it there is.</summary>
    public static string SideOf(DiffSide side)
    {
        if (side.Text is { } text)
        {
            return $"{text}; {ReadableDuration.Of(side.Measured)} measured";
        }

        string traces = side.Traces.Count <= 3
            ? string.Join(", ", side.Traces.Select(trace => trace.Path))
            : $"{side.Traces[0].Path} and {Counted.Of(side.Traces.Count - 1, "other")}";
        return $"{traces}; {ReadableDuration.Of(side.Measured)} measured"
            + (side.Blocks > 0 ? $", {Counted.Of(side.Blocks, "block")}" : "");
    }

    private static void Measures(ReportPage page, DiffReport report)
    {
        page.Heading("What changed");
        foreach ((string name, ComparedRate? measured) in new[]
        {
            ("episodes an hour", report.Episodes), ("deadlines missed", report.DeadlinesMissed), ("glitches", report.Glitches),
        })
        {
            if (measured is not { } rate)
            {
                continue;
            }

            Row(
                page,
                report,
                name,
                $"{RoundedNumber.Of(rate.BasePerHour)} -> {RoundedNumber.Of(rate.NewPerHour)} ({rate.Base} and {rate.New}; "
                + (rate.Interval == "exact" ? "they come alone)" : $"they come in bursts, {RoundedNumber.Of(rate.Dispersion)} at a time)"),
                rate.Change);
        }

        foreach (ComparedValue value in report.EpisodeTimes)
        {
            Row(page, report, value.Name, $"{Interval(value.Base)} -> {Interval(value.New)}", value.Change);
        }

        foreach (ComparedLatency latency in report.Latencies)
        {
            page.Line(Hang, $"  {DiffWords.Of(latency, report.Settings.MinPriority)}, of {latency.Base:N0} and {latency.New:N0}:");
            foreach (ComparedValue value in latency.Values)
            {
                Row(page, report, "  " + value.Name, $"{Interval(value.Base)} -> {Interval(value.New)}", value.Change);
            }
        }
    }

    private static string Interval(ValueInterval value) =>
        $"{ReadableDuration.Of(value.Value)} ({ReadableDuration.Of(value.Low)} to {ReadableDuration.Of(value.High)})";

    private static void Row(ReportPage page, DiffReport report, string name, string values, Change change)
    {
        Ink ink = change.Direction switch
        {
            DiffChange.Worse => Ink.Guilty,
            DiffChange.Better => Ink.Innocent,
            _ => Ink.Faint,
        };
        page.Line(Hang + 4, $"  {name,-20} {values}  {DiffWords.Of(change)}  ", new PagePiece(VerdictOf(change, report), ink));
    }

    /// <summary>What became of a measure, in a word or two; empty where that was not asked.</summary>
    public static string VerdictOf(Change change, DiffReport report) =>
        change.Direction != DiffChange.NotShown ? DiffWords.Of(change.Direction)
        : change.Adjusted is null ? ""
        : change.Adjusted < report.Settings.FalseAlarms ? "too small to count"
        : "no change shown";

    private static void Culprits(ReportPage page, DiffReport report)
    {
        if (report.Culprits.Count == 0)
        {
            return;
        }

        page.Heading("Culprits");
        foreach (ComparedCulprit one in report.Culprits.Take(MostRows))
        {
            string versions = VersionsOf(one);
            page.Line(Hang + 4, "  ", new PagePiece(one.Name, Ink.Name), (versions.Length > 0 ? ", " : "") + versions
                + $": {(one.State == "not-shown" ? "no change shown" : one.State)}; episodes an hour "
                + $"{RoundedNumber.Of(one.Episodes.BasePerHour)} -> {RoundedNumber.Of(one.Episodes.NewPerHour)}, blamed an hour "
                + $"{ReadableDuration.Of(one.BasePerHour)} -> {ReadableDuration.Of(one.NewPerHour)}");
        }

        More(page, report.Culprits.Count);
    }

    /// <summary>The versions of a culprit on both sides; empty where none is known.</summary>
    public static string VersionsOf(ComparedCulprit one) => one.BaseVersions.Count + one.NewVersions.Count == 0 ? ""
        : one.BaseVersions.SequenceEqual(one.NewVersions) ? DiffWords.Versions(one.NewVersions)
        : $"{DiffWords.Versions(one.BaseVersions)} -> {DiffWords.Versions(one.NewVersions)}";

    private static void Beats(ReportPage page, DiffReport report)
    {
        foreach (ComparedBeat beat in report.Beats)
        {
            page.Line(Hang + 4, "  " + Of(beat));
        }
    }

    /// <summary>How a beat changed.</summary>
    public static string Of(ComparedBeat beat)
    {
        return $"beat of {beat.Name}: {Seconds(beat.Base)} -> {Seconds(beat.New)}";

        static string Seconds(double? seconds) => seconds is { } known ? $"every {RoundedNumber.Of(known)} s" : "none seen";
    }

    private static void Machine(ReportPage page, DiffReport report)
    {
        page.Heading("Changed machine");
        foreach (MachineChange change in report.Machine)
        {
            page.Line(Hang + 4, $"  {change.Name}: {change.Base ?? "not known"} -> {change.New ?? "not known"}");
        }

        foreach (DriverChange file in report.Files.Take(MostRows * 2))
        {
            string versions = file.What switch
            {
                "added" => DiffWords.Versions(file.New),
                "removed" => DiffWords.Versions(file.Base),
                _ => $"{DiffWords.Versions(file.Base)} -> {DiffWords.Versions(file.New)}",
            };
            page.Line(Hang + 4, $"  {file.Name} {file.What}: {versions}{(file.Company is { } company ? $" ({company})" : "")}");
        }

        if (report.Files.Count > MostRows * 2)
        {
            page.Line(Hang, $"  and {report.Files.Count - (MostRows * 2)} more; --format json has all");
        }

        if (report.Machine.Count + report.Files.Count == 0)
        {
            page.Line(Hang, "  nothing that the traces show");
        }
    }

    private static void Activities(ReportPage page, string heading, IReadOnlyList<ComparedActivity> rows)
    {
        if (rows.Count == 0)
        {
            return;
        }

        page.Heading(heading);
        foreach (ComparedActivity one in rows.Take(MostRows))
        {
            page.Line(
                Hang + 4,
                $"  {one.Name} {(one.Isr ? "ISR" : "DPC")}: {Rate(one.Base)} -> {Rate(one.New)}; "
                    + (one.Change is { } change ? $"time {DiffWords.Of(change)}" : "time not compared (*)"),
                new PagePiece(one.Change is { } told ? DiffWords.MoreOrLess(told.Direction) : "", Ink.Name));
        }

        More(page, rows.Count);
        if (rows.Take(MostRows).Any(one => one.Change is null))
        {
            page.Line(Hang, $"  (*) {WhoseTime}");
        }

        static string Rate(ActivityRate? rate) => rate is null
            ? "none"
            : $"{RoundedNumber.Of(rate.PerSecond)} of mean {ReadableDuration.Of(rate.Mean)} (longest {ReadableDuration.Of(rate.Longest)})";
    }

    private static void More(ReportPage page, int count)
    {
        if (count > MostRows)
        {
            page.Line(Hang, $"  and {count - MostRows} more; --format json has all");
        }
    }
}
