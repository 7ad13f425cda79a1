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
        if (isOneOfMany)
        {
            page.Line(0, new PagePiece(report.Trace.Path, Ink.Heading));
            int length = Math.Clamp(PageText.ColumnsOf(report.Trace.Path), 1, page.Columns);
            page.Line(0, new PagePiece(new string('=', length), Ink.Faint));
        }

        page.Line(0, new PagePiece(report.Summary.Conclusion, InkOf(report.Summary.Verdict)));
        AddFacts(page, report);
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
        AddNextSteps(page, report.NextSteps);
        if (page.Lines.Count >= rows)
        {
            page.Gap();
            BlameSummary summary = report.Summary;
            page.Line(12, new PagePiece($"  {"verdict",-10}", Ink.Faint), new PagePiece(VerdictOf(summary), InkOf(summary.Verdict)));
        }

        return page;
    }

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

    private static void AddNextSteps(ReportPage page, IReadOnlyList<NextStep> steps)
    {
        if (steps.Count == 0)
        {
            return;
        }

        page.Heading("What to do next");
        for (int i = 0; i < steps.Count; i++)
        {
            page.Line(5, $"  {(i + 1).ToString(CultureInfo.InvariantCulture)}. {steps[i].Step}.");
            page.Line(9, new PagePiece("     why ", Ink.Faint), steps[i].Why + ".");
        }
    }

    private static void AddFacts(ReportPage page, BlameReport report)
    {
        page.Gap();
        TraceSummary trace = report.Trace;
        BlameSummary summary = report.Summary;
        AddFact(page, "verdict", VerdictOf(summary));
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
        AddFact(page, "asked", Joined(
            $"threshold {report.Settings.Threshold}",
            $"probe {KebabCase.Of(report.Settings.Probe)}",
            report.Settings.Period is { } period ? $"period {period}" : null,
            report.Settings.Deadline is { } deadline ? $"deadline {deadline}" : null,
            VictimsOf(report.Settings),
            report.Settings.Cpus is { } cpus ? $"CPU {NumberRanges.Of(cpus)}" : null,
            report.Settings.At is { } at ? $"around {ReadableDuration.Of(at)}" : null,
            report.Settings.From is { } from ? $"from {ReadableDuration.Of(from)} on" : null,
            report.Settings.To is { } to ? $"up to {ReadableDuration.Of(to)}" : null,
            report.Settings.Zero is { } zero ? $"seconds count from {ReadableDuration.Of(zero)} of the trace" : null));
        AddFact(page, "trace", Joined(
            trace.Path,
            StartWords.Of(trace),
            trace.Duration is { } duration ? ReadableDuration.Of(duration) : null,
            trace.Cpus is { } count ? ReportWords.Count(count, "CPU") : trace.Clock is null ? null : "CPUs not told apart",
            trace.OsBuild is { } build ? $"Windows build {build.ToString(CultureInfo.InvariantCulture)}" : null,
            $"{trace.PointerBits.ToString(CultureInfo.InvariantCulture)}-bit"));
        AddFact(page, "machine", Joined(
            trace.Machine.Cpu,
            trace.Machine.MemoryMb is { } memory
                ? (memory / 1024.0).ToString("0.#", CultureInfo.InvariantCulture) + " GiB"
                : null,
            trace.Machine.Hypervisor == true ? "under a hypervisor" : null));
        AddFact(page, "events", Joined(
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

        if (report.Recording is { ProfileInterrupt: { } profile } recording)
        {
            AddFact(page, "recording", Joined(
                $"taking the samples cost {ReportWords.Percent(recording.Share)} of all CPU time",
                $"{ReportWords.Count(profile.Count, "profile interrupt")}, {ReadableDuration.Of(profile.Total)}"));
        }

        if (report.Recording is { Driver: { Run.Nanoseconds: > 0 } driver })
        {
            double all = driver.Run.Nanoseconds * (double)Math.Max(1, trace.Cpus ?? 1);
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

    private static string VictimsOf(BlameSettings settings) => settings switch
    {
        { Thread: { } thread } => $"thread {thread.ToString(CultureInfo.InvariantCulture)} only",
        { Process: { } process } => $"threads of {process} only, of any priority",
        _ => $"threads of priority {settings.MinPriority.ToString(CultureInfo.InvariantCulture)} and above",
    };

    private static void AddWithout(ReportPage page, BlameReport report)
    {
        if (report.Without is not { } without)
        {
            return;
        }

        page.Heading($"Without {without.Name}");
        page.Line(2, "  " + (without.Episodes is not { } left
            ? "An episode has too many parts to be played once more: what would be left is not known."
            : Joined(
                $"{ReportWords.Number(left)} of {ReportWords.Count(report.Summary.Episodes, "episode")} would be left",
                without.Worst is { } worst ? $"worst {ReadableDuration.Of(worst)}" : null,
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
