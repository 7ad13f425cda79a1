namespace Tracer.CommandLine;

/// <summary>Who is to blame: each with a bar, how, how much, how sure, and the facts behind it.</summary>
internal static class CulpritLines
{
    private const int BarColumns = 20;
    private const int FunctionsShown = 5;
    private const int Indent = 6;

    /// <summary>From so many lines of a list on, the case for and against each culprit is shown, too; --full asks for more.</summary>
    private const int FromFull = 1000;

    /// <summary>Adds the culprits to a page, the first ones in full.</summary>
    public static void Add(ReportPage page, BlameReport report, int top)
    {
        page.Heading("Who is to blame");
        if (report.Culprits.Count == 0)
        {
            page.Line(2, report.Summary.Verdict == Verdict.Unknown
                ? "  Nobody is named: there is no proof against anyone. What is not known, and what to record, is below."
                : "  Nobody.");
        }

        foreach (Culprit culprit in report.Culprits.Take(top))
        {
            Add(page, culprit, report.Summary.Episodes, top >= FromFull, report.Trace.Has);
        }

        LeftOut.Add(page, report.Culprits.Count, top);
        if (report.Secondary is not { Count: > 0 } second)
        {
            return;
        }

        bool hasGlitches = BlameText.HasGlitches(report);
        page.Heading(hasGlitches ? "These explain no glitch" : "No measured thread waited for these");
        page.Line(2, $"  {ReportWords.Count(report.Summary.SecondaryEpisodes, "more episode")}: " + (hasGlitches
            ? "something else was late, or kept a CPU, while Windows recorded no glitch of it."
            : "a CPU kept at ISR or DPC level while no measured"
            + " thread waited for it, or threads of ordinary priority kept waiting by one of high priority."));
        foreach (Culprit culprit in second.Take(top))
        {
            Add(page, culprit, report.Summary.SecondaryEpisodes, top >= FromFull, report.Trace.Has);
        }

        LeftOut.Add(page, second.Count, top);
    }

    /// <summary>The line of a culprit: rank, bar, share and name.</summary>
    internal static void AddName(ReportPage page, Culprit culprit)
    {
        (PagePiece full, PagePiece rest) = ReportWords.Bar(culprit.Share, BarColumns);
        string rank = culprit.Rank.ToString(CultureInfo.InvariantCulture);
        page.Line(
            Indent,
            $"  {rank + ".",-4}",
            full,
            rest,
            $" {ReportWords.Percent(culprit.Share),8}  ",
            new PagePiece(culprit.Name, Ink.Name),
            culprit.Through.Count > 0 ? $", through {string.Join(", ", culprit.Through)}" : "",
            culprit.Device is null ? "" : $" ({culprit.Device})",
            culprit.RunsFirmware ? " (runs firmware code, AML)" : "");
    }

    private static void Add(ReportPage page, Culprit culprit, int episodes, bool isFull, RecordedKinds has)
    {
        AddName(page, culprit);
        AddDetail(page, "how", $"{KebabCase.Of(culprit.Mechanism)}: {ReportWords.MeaningOf(culprit, has)}");
        AddDetail(
            page,
            "blamed",
            $"{ReadableDuration.Of(culprit.Blamed)} in {ReportWords.Number(culprit.Episodes)} of {ReportWords.Count(episodes, "episode")}, "
                + $"at most {ReadableDuration.Of(culprit.Worst)} in one of them");
        string proof = KebabCase.Of(culprit.Proof);
        AddDetail(page, "sure", $"{KebabCase.Of(culprit.Confidence)}, by {proof}: {ReportWords.MeaningOf(culprit.Proof)}");
        foreach (FunctionTime function in culprit.Functions.Take(FunctionsShown))
        {
            string[] parts =
            [
                .. function.Time is { } known ? [ReadableDuration.Of(known)] : Array.Empty<string>(),
                .. function.Samples > 0 ? [ReportWords.Count(function.Samples, "sample")] : Array.Empty<string>(),
            ];
            AddDetail(page, "in", $"{function.Name}  {string.Join(", ", parts)}");
        }

        if (culprit.Caller is { } caller)
        {
            AddDetail(page, "called", $"by {caller.Process} in {ReportWords.Number(caller.Times)} of {ReportWords.Number(caller.Of)}");
        }

        if (culprit.Period is { } period)
        {
            string beats = ReportWords.Percent(period.Coverage);
            AddDetail(
                page, "beat", $"every {TimeOf(period.Seconds)}, give or take {TimeOf(period.JitterMs / 1000)}, in {beats} of the beats");
        }

        if (culprit.Without is { } without)
        {
            string worst = without.Worst is { } left ? $", the longest wait then {ReadableDuration.Of(left)}" : "";
            AddDetail(page, "without", $"{ReportWords.Count(without.Episodes, "episode")} would be left{worst}");
        }

        if (culprit.Image is { } image)
        {
            string?[] facts =
            [
                image.Path,
                image.Version is null ? null : $"version {image.Version}",
                image.Company,
                image.Timestamp?.ToString("'built' yyyy-MM-dd", CultureInfo.InvariantCulture),
            ];
            AddDetail(page, "image", string.Join(", ", facts.Where(fact => fact is not null)));
        }

        foreach (string fact in culprit.Evidence)
        {
            page.Line(Indent + 2, new string(' ', Indent) + "- " + fact);
        }

        if (isFull)
        {
            AddVotes(page, culprit.Votes);
        }
    }

    private static string TimeOf(double seconds) => ReadableDuration.Of(new Duration((long)Math.Round(seconds * 1e9)));

    /// <summary>The case for and against, a line for each kind of evidence.</summary>
    private static void AddVotes(ReportPage page, CulpritVotes votes)
    {
        const int Most = 12;
        AddDetail(page, "case", $"{"evidence",-Most}  {"for",9}  {"against",9}");
        foreach (VoteKind kind in votes.For.Concat(votes.Against).Select(vote => vote.Kind).Distinct().Order())
        {
            AddDetail(page, "", $"{KebabCase.Of(kind),-Most}  {CountOf(votes.For, kind),9}  {CountOf(votes.Against, kind),9}");
        }

        static string CountOf(IReadOnlyList<Vote> side, VoteKind kind) =>
            side.FirstOrDefault(vote => vote.Kind == kind) is { } vote ? ReportWords.Number(vote.Count) : "-";
    }

    private static void AddDetail(ReportPage page, string name, string detail) =>
        page.Line(Indent + 9, new PagePiece($"{new string(' ', Indent)}{name,-9}", Ink.Faint), detail);
}
