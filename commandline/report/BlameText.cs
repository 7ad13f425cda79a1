namespace Tracer.CommandLine;

/// <summary>
/// Makes the report of a blame for people: the answer first, then who, how we know, the worst episodes, what every driver took, who is
/// innocent, and what is not known.
/// </summary>
public static class BlameText
{
    /// <summary>Lays a report out as a page.</summary>
    /// <param name="top">How many lines each list has at most; what is left out is counted.</param>
    /// <param name="isOneOfMany">Whether reports of other traces follow or precede it: then the path stands above it.</param>
    /// <param name="rows">
    /// The lines of the screen: where the page is longer, the verdict stands once more in its last line. Null for no screen.
    /// </param>
    public static ReportPage PageOf(
        BlameReport report, int top, bool isOneOfMany = false, int columns = ReportPage.UsualColumns, int? rows = null)
    {
        ArgumentNullException.ThrowIfNull(report);
        var page = new ReportPage(columns);
        AddPath(page, report, isOneOfMany);
        AddConclusion(page, report);
        page.BlankLine();
        AddVerdict(page, report.Summary);
        AddFacts(page, report, isWhole: true);
        SuspectLines.Add(page, report.Suspect);
        CulpritLines.Add(page, report, top);
        AddWithout(page, report);
        GroupLines.Add(page, report, top);
        GlitchLines.Add(page, report, top);
        WorstEpisodeLines.Add(page, report, top);
        DriverTableLines.Add(page, report, top);
        ProfileLines.Add(page, report.Profile, top);
        AddCleared(page, report.Cleared, top);
        NotKnownLines.Add(page, report);
        AddNextSteps(page, report);
        if (page.Lines.Count >= rows)
        {
            page.BlankLine();
            AddVerdict(page, report.Summary);
        }

        return page;
    }

    /// <summary>The path above the report of one of many traces.</summary>
    internal static void AddPath(ReportPage page, BlameReport report, bool isOneOfMany)
    {
        if (isOneOfMany)
        {
            page.Line(0, new PagePiece(report.Trace.Path, Ink.Heading));
            int length = Math.Clamp(PageText.ColumnsOf(report.Trace.Path), 1, page.Columns);
            page.Line(0, new PagePiece(new string('=', length), Ink.Faint));
        }
    }

    /// <summary>The answer as a sentence.</summary>
    internal static void AddConclusion(ReportPage page, BlameReport report) =>
        page.Line(0, new PagePiece(report.Summary.Conclusion, InkOf(report.Summary.Verdict)));

    /// <summary>The answer as a line that scripts may look for.</summary>
    internal static void AddVerdict(ReportPage page, BlameSummary summary) =>
        page.Line(12, new PagePiece($"  {"verdict",-10}", Ink.Faint), new PagePiece(VerdictOf(summary), InkOf(summary.Verdict)));

    /// <summary>Whether it is glitches that the verdict is drawn from.</summary>
    internal static bool HasGlitches(BlameReport report) =>
        report.Episodes.Any(one => one is { Probe: ProbeKind.Glitch, Secondary: false });

    private static Ink InkOf(Verdict verdict) => verdict switch
    {
        Verdict.None => Ink.Innocent,
        Verdict.Unknown => Ink.Doubt,
        _ => Ink.Guilty,
    };

    private static string VerdictOf(BlameSummary summary) => summary.Verdict switch
    {
        Verdict.None => "none: nobody is to blame",
        Verdict.Unknown => "unknown: this trace does not tell",
        _ => $"{KebabCase.Of(summary.Verdict)}: {summary.Culprit ?? "name not known"}",
    };

    private static void AddNextSteps(ReportPage page, BlameReport report)
    {
        IReadOnlyList<NextStep> steps = report.NextSteps;
        if (steps.Count == 0)
        {
            return;
        }

        page.Heading("What to do next");
        for (int i = 0; i < steps.Count; i++)
        {
            page.Line(5, $"  {(i + 1).ToString(CultureInfo.InvariantCulture)}. {ReportWords.Of(steps[i], report.Trace)}.");
            page.Line(9, new PagePiece("     why ", Ink.Faint), steps[i].Why + ".");
        }
    }

    /// <summary>What was measured, asked and recorded.</summary>
    /// <param name="isWhole">Whether all is told, or only what is not as usual.</param>
    internal static void AddFacts(ReportPage page, BlameReport report, bool isWhole)
    {
        TraceSummary trace = report.Trace;
        BlameSummary summary = report.Summary;
        AddFact(page, "measured", trace.Clock is null ? "nothing: the clock is not known" : Joined(
            summary.Probes == 0 ? "no wake-ups" : ReportWords.Count(summary.Probes, "wake-up"),
            $"{ReportWords.Count(summary.Episodes, "episode")} of {ReadableDuration.Of(report.Settings.Threshold)} or more"
                + (report.Episodes.Any(one => one is { Secondary: false, Job: not null } && one.Latency < report.Settings.Threshold)
                    ? ", or done late"
                    : ""),
            summary.Episodes > 0 ? $"{ReadableDuration.Of(summary.OverThreshold)} in all" : null,
            summary.SecondaryEpisodes > 0
                ? $"{ReportWords.Number(summary.SecondaryEpisodes)} more that "
                    + (HasGlitches(report) ? "explain no glitch" : "no measured thread waited for")
                : null,
            summary.Worst is { } worst ? $"worst {ReadableDuration.Of(worst)}" : null));
        AddFact(page, "asked", Asked(report.Settings));
        AddFact(page, "trace", Joined(
            trace.Path,
            StartWords.Of(trace),
            trace.Duration is { } duration ? ReadableDuration.Of(duration) : null,
            trace.Cpus is { } count ? ReportWords.Count(count, "CPU") : trace.Clock is null ? null : "CPUs not told apart",
            trace.OsBuild is { } build ? $"Windows build {build.ToString(CultureInfo.InvariantCulture)}" : null,
            $"{trace.PointerBits.ToString(CultureInfo.InvariantCulture)}-bit"));
        bool isLossy = trace is not { EventsLost: 0, BuffersLost: 0, DamagedBuffers: 0, Truncated: false };
        if (isWhole)
        {
            AddFact(page, "machine", Joined(
                trace.Machine.Cpu,
                trace.Machine.MemoryMb is { } memory
                    ? (memory / 1024.0).ToString("0.#", CultureInfo.InvariantCulture) + " GiB"
                    : null,
                trace.Machine.Hypervisor == true ? "under a hypervisor" : null));
        }

        AddFact(page, "events", !isWhole && !isLossy ? "" : Joined(
            ReportWords.Number(trace.Events),
            trace.EventsLost > 0
                ? $"{ReportWords.Number(trace.EventsLost)} LOST"
                : trace.Clock is null ? "none known to be lost" : "none lost",
            trace.BuffersLost > 0 ? $"{ReportWords.Number(trace.BuffersLost)} BUFFERS LOST" : null,
            trace.DamagedBuffers > 0 ? $"{ReportWords.Number(trace.DamagedBuffers)} BUFFERS DAMAGED" : null,
            trace.Truncated ? "FILE CUT SHORT" : null,
            trace.SampleInterval is { } interval ? $"samples every {ReadableDuration.Of(interval)}" : null));
        foreach (string doubt in trace.Doubts ?? [])
        {
            AddFact(page, "doubt", doubt);
        }

        if (isWhole)
        {
            AddCost(page, report);
        }
    }

    /// <summary>What the recording took.</summary>
    private static void AddCost(ReportPage page, BlameReport report)
    {
        if (report.Recording is { ProfileInterrupt: { } profile } recording)
        {
            AddFact(page, "recording", Joined(
                $"taking the samples cost {ReportWords.Percent(recording.Share)} of all CPU time",
                $"{ReportWords.Count(profile.Count, "profile interrupt")}, {ReadableDuration.Of(profile.Total)}"));
        }

        if (report.Recording is { Driver: { Run.Nanoseconds: > 0 } driver })
        {
            double all = driver.Run.Nanoseconds * (double)Math.Max(1, report.Trace.Cpus ?? 1);
            AddFact(page, "driver", Joined(
                $"measuring wake-ups took {ReportWords.Percent(driver.Own.Nanoseconds / all)} of all CPU time",
                driver.Floor is { } floor ? $"floor {ReadableDuration.Of(floor)}" : null,
                driver.Tick is { } tick ? $"clock ticks every {ReadableDuration.Of(tick)}" : null));
        }
    }

    private static void AddFact(ReportPage page, string name, string fact)
    {
        if (fact.Length > 0)
        {
            page.Line(12, new PagePiece($"  {name,-10}", Ink.Faint), fact);
        }
    }

    private static string Asked(BlameSettings settings) => Joined(
        $"threshold {settings.Threshold}",
        $"probe {KebabCase.Of(settings.Probe)}",
        settings.Period is { } period ? $"period {period}" : null,
        settings.Deadline is { } deadline ? $"deadline {deadline}" : null,
        VictimsOf(settings),
        settings.Cpus is { } cpus ? $"CPU {NumberRanges.Of(cpus)}" : null,
        settings.At is { } at ? $"around {ReadableDuration.At(at)}" : null,
        settings.From is { } from ? $"from {ReadableDuration.At(from)} on" : null,
        settings.To is { } to ? $"up to {ReadableDuration.At(to)}" : null,
        settings.Zero is { } zero ? $"seconds count from {ReadableDuration.At(zero)} of the trace" : null);

    private static string VictimsOf(BlameSettings settings) => settings switch
    {
        { Thread: { } thread } => $"thread {thread.ToString(CultureInfo.InvariantCulture)} only",
        { Process: { } process } => $"threads of {process} only, of any priority",
        _ => $"threads of priority {settings.MinPriority.ToString(CultureInfo.InvariantCulture)} and above",
    };

    /// <summary>What a replay without somebody leaves; nothing where none was asked for.</summary>
    internal static void AddWithout(ReportPage page, BlameReport report)
    {
        if (report.Without is not { } without)
        {
            return;
        }

        page.Heading($"Without {without.Name}");
        page.Line(2, "  " + (without.Episodes is not { } left
            ? "An episode has too many parts to be replayed: what would be left is not known."
            : Joined(
                $"{ReportWords.Number(left)} of {ReportWords.Count(report.Summary.Episodes, "episode")} would be left",
                without.Worst is { } worst ? $"the longest wait then {ReadableDuration.Of(worst)}" : null,
                without.OverThreshold is { } all && left > 0
                    ? $"{ReadableDuration.Of(all)} in all instead of {ReadableDuration.Of(report.Summary.OverThreshold)}"
                    : null) + "."));
    }

    private static void AddCleared(ReportPage page, IReadOnlyList<ClearedName> cleared, int top)
    {
        if (cleared.Count == 0)
        {
            return;
        }

        page.Heading("Innocent, although it may look guilty");
        foreach (ClearedName one in cleared.Take(top))
        {
            page.Line(4, "  ", new PagePiece(one.Name, Ink.Name), $": {one.Why}");
        }

        LeftOut.Add(page, cleared.Count, top);
    }

    private static string Joined(params string?[] parts) => string.Join(", ", parts.Where(part => part is not null));
}
