using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>A comparison as one HTML file: the answer, what changed as dumbbells and ratios, culprits, machine, drivers.</summary>
internal static class DiffHtml
{
    private const int Columns = 120;
    private const string NotTold = "\u2020";

    /// <summary>Writes the page as UTF-8.</summary>
    public static void Write(DiffReport report, Stream output)
    {
        var page = new StillPage($"{WordOf(report.Summary)}: analyzer diff");
        page.Card(
            report.Summary.Verdict switch
            {
                DiffVerdict.Worse => Ink.Guilty,
                DiffVerdict.Better or DiffVerdict.Same => Ink.Innocent,
                _ => Ink.Doubt,
            },
            WordOf(report.Summary),
            report.Summary.Conclusion,
            ("before", DiffText.SideOf(report.Base)),
            ("after", DiffText.SideOf(report.New)));
        if (report.RunTimes is { } runTimes)
        {
            RunTimes(page, runTimes);
        }
        else
        {
            Measures(page, report);
            Culprits(page, report);
            Machine(page, report);
            Activities(page, "What the drivers' DPCs and ISRs took", "driver", report.Drivers);
            Activities(page, "What single routines took", "routine", report.Routines);
        }

        page.Limits(report.Warnings, DiffText.NotRecorded(report));
        output.Write(page.End());
    }

    private static string WordOf(DiffSummary summary) => (summary.Verdict switch
    {
        DiffVerdict.Worse => "Worse",
        DiffVerdict.Better => "Better",
        DiffVerdict.Same => "The same",
        _ => "Can't tell",
    }) + (summary.Culprit is { } culprit ? $": {culprit}" : "");

    private static void RunTimes(StillPage page, IReadOnlyList<ComparedRunTimes> runTimes)
    {
        var text = new ReportPage(Columns);
        DiffRunTimes.Write(runTimes, text);
        page.Add("<pre>");
        foreach (IReadOnlyList<PagePiece> line in text.Lines)
        {
            page.Line("", string.Concat(line.Select(piece => piece.Text)), "");
        }

        page.Add("</pre>\n");
    }

    private static void Measures(StillPage page, DiffReport report)
    {
        (string Name, ComparedRate? Rate)[] rates =
        [
            ("episodes an hour", report.Episodes), ("deadlines missed an hour", report.DeadlinesMissed),
            ("glitches an hour", report.Glitches),
        ];
        ComparedRate[] told = [.. rates.Select(one => one.Rate).OfType<ComparedRate>()];
        var often = new LogAxis(told.SelectMany(one => new[] { one.BasePerHour, one.NewPerHour }), RoundedNumber.Of);
        ComparedValue[] values = [.. report.EpisodeTimes.Concat(report.Latencies.SelectMany(one => one.Values))];
        var times = new LogAxis(
            values.SelectMany(one => new[] { one.Base, one.New }).SelectMany(one => new[] { one.Value, one.Low, one.High })
                .Select(one => (double)one.Nanoseconds),
            nanoseconds => ReadableDuration.Of(new Duration((long)nanoseconds)));
        var ratios = new LogAxis(
            told.Select(one => one.Change).Concat(values.Select(one => one.Change))
                .SelectMany(one => new[] { one.Ratio, one.Low, one.High }).OfType<double>().SelectMany(one => new[] { one, 1 / one })
                .Append(2).Append(0.5).Select(one => Math.Clamp(one, 1 / MostRatio, MostRatio)),
            ratio => $"x {RoundedNumber.Of(ratio)}");
        page.Add("<h2>What changed</h2>\n");
        page.Line("<p>", "Hollow: before. Filled: after. Lines span 95 % intervals; every scale is logarithmic. A ratio whose line "
            + "crosses x 1 shows no change.", "</p>");
        List<PageCell[]> rows = [];
        foreach ((string name, ComparedRate? measured) in rates)
        {
            if (measured is { } rate)
            {
                rows.Add(Row(
                    name,
                    often.Dumbbell(
                        (rate.BasePerHour, rate.BasePerHour, rate.BasePerHour),
                        (rate.NewPerHour, rate.NewPerHour, rate.NewPerHour),
                        rate.Change.Direction),
                    RoundedNumber.Of(rate.BasePerHour),
                    RoundedNumber.Of(rate.NewPerHour),
                    rate.Change));
            }
        }

        Table("How often", often);
        foreach (ComparedValue value in report.EpisodeTimes)
        {
            // A sum and a longest: each has a unit of its own.
            DurationColumn column = ColumnOf([value]);
            rows.Add(RowOf(value, column, $"{value.Name}, {column.Unit}"));
        }

        Table("How late", times);
        foreach (ComparedLatency latency in report.Latencies)
        {
            DurationColumn column = ColumnOf(latency.Values);
            rows.AddRange(latency.Values.Select(value => RowOf(value, column, value.Name)));
            string what = DiffWords.Of(latency, report.Settings.MinPriority);
            Table($"{what}, in {column.Unit}, of {latency.Base:N0} before and {latency.New:N0} after", times);
        }

        page.Line("<p class=\"dim\">", DiffText.MethodOf(report) + ".", "</p>");

        PageCell[] RowOf(ComparedValue value, DurationColumn column, string name) => Row(
            name,
            times.Dumbbell(EndsOf(value.Base), EndsOf(value.New), value.Change.Direction),
            PageCell.Of(value.Base.Value, column),
            PageCell.Of(value.New.Value, column),
            value.Change);

        void Table(string caption, LogAxis axis)
        {
            if (rows.Count > 0)
            {
                rows.Add(["", new(axis.Scale()), "", "", new(ratios.Scale()), "", ""]);
                page.Table(["", "before and after", "!before", "!after", "ratio", "after / before", ""], rows, caption, "compare");
                rows = [];
            }
        }

        PageCell[] Row(string name, string dumbbell, PageCell before, PageCell after, Change change) =>
        [
            name, new(dumbbell), before, after, new(ratios.Forest(change)), DiffWords.Of(change), Verdict(change, report),
        ];

        static DurationColumn ColumnOf(IEnumerable<ComparedValue> all) =>
            DurationColumn.For(all.SelectMany(one => new[] { one.Base.Value, one.New.Value }));

        static (double, double, double) EndsOf(ValueInterval one) => (one.Low.Nanoseconds, one.Value.Nanoseconds, one.High.Nanoseconds);
    }

    /// <summary>Ratios beyond it are drawn at the edge.</summary>
    private const double MostRatio = 32;

    private static PageCell Verdict(Change change, DiffReport report)
    {
        string word = DiffText.VerdictOf(change, report);
        return new($"<span class=\"{KebabCase.Of(change.Direction)}\">{StillPage.Escaped(word)}</span>");
    }

    private static void Culprits(StillPage page, DiffReport report)
    {
        if (report.Culprits.Count == 0)
        {
            return;
        }

        var column = DurationColumn.For(report.Culprits.SelectMany(one => new[] { one.BasePerHour, one.NewPerHour }));
        page.Add("<h2>Culprits</h2>\n");
        page.Table(
            [
                "culprit", "", "!episodes an hour before", "!after", $"!late time an hour before {column.Unit}", $"!after {column.Unit}",
                "version",
            ],
            report.Culprits.Select(one => (PageCell[])
            [
                one.Name, one.State == "not-shown" ? "no change shown" : one.State, RoundedNumber.Of(one.Episodes.BasePerHour),
                RoundedNumber.Of(one.Episodes.NewPerHour), PageCell.Of(one.BasePerHour, column), PageCell.Of(one.NewPerHour, column),
                DiffText.VersionsOf(one),
            ]),
            kind: "sorts");
        foreach (ComparedBeat beat in report.Beats)
        {
            page.Line("<p>", DiffText.Of(beat), "</p>");
        }
    }

    private static void Machine(StillPage page, DiffReport report)
    {
        page.Add("<h2>What changed of the machine</h2>\n");
        if (report.Machine.Count + report.Files.Count == 0)
        {
            page.Line("<p>", "Nothing that the traces show.", "</p>");
            return;
        }

        page.Table(
            ["", "what", "before", "after", "company"],
            report.Machine.Select(one => (PageCell[])[one.Name, "", one.Base ?? "not known", one.New ?? "not known", ""])
                .Concat(report.Files.Select(one => (PageCell[])
                [
                    one.Name, one.What, one.What == "added" ? "" : DiffWords.Versions(one.Base),
                    one.What == "removed" ? "" : DiffWords.Versions(one.New), one.Company ?? "",
                ])),
            kind: "sorts");
    }

    /// <summary>What changed stands open, all else is folded.</summary>
    private static void Activities(StillPage page, string heading, string of, IReadOnlyList<ComparedActivity> all)
    {
        if (all.Count == 0)
        {
            return;
        }

        var column = DurationColumn.For(all.SelectMany(one => new[] { one.Base?.Mean, one.New?.Mean, one.Base?.Longest, one.New?.Longest })
            .OfType<Duration>());
        page.Line("<h2>", heading + ", a second", "</h2>");
        ILookup<bool, ComparedActivity> rows = all.ToLookup(one => one.Change is { Direction: not DiffChange.NotShown });
        if (rows[true].Any())
        {
            Table(rows[true]);
        }

        if (rows[false].Any())
        {
            page.Line("<details class=\"more-culprits\"><summary>", $"{Counted.Of(rows[false].Count(), of)} without a change that shows",
                "</summary>");
            Table(rows[false]);
            page.Add("</details>\n");
        }

        if (all.Any(one => one.Change is null))
        {
            page.Line("<p class=\"dim\">", $"{NotTold} {DiffText.WhoseTime}", "</p>");
        }

        void Table(IEnumerable<ComparedActivity> some) => page.Table(
            [
                of, "kind", "!runs before", "!after", $"!mean {column.Unit} before", "!after", $"!longest run {column.Unit} before",
                "!after", "!time after / before", "",
            ],
            some.Select(one => (PageCell[])
            [
                one.Name, one.Isr ? "ISR" : "DPC", Rate(one.Base), Rate(one.New), PageCell.Of(one.Base?.Mean, column),
                PageCell.Of(one.New?.Mean, column), PageCell.Of(one.Base?.Longest, column), PageCell.Of(one.New?.Longest, column),
                one.Change is { } change
                    ? new PageCell(StillPage.Escaped(DiffWords.Of(change)), RoundedNumber.Of(change.Ratio ?? int.MaxValue))
                    : NotTold,
                one.Change is { } told ? DiffWords.MoreOrLess(told.Direction).Trim() : "",
            ]),
            kind: "sorts");

        static string Rate(ActivityRate? rate) => rate is null ? "-" : RoundedNumber.Of(rate.PerSecond);
    }
}
