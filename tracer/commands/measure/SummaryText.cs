namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>A paper's figures beside those of this machine, as text and as comma-separated values.</summary>
internal static class SummaryText
{
    private const int PlaceColumns = 16;
    private const int WhatColumns = 54;
    private const int NumberColumns = 11;

    public static ReportPage Of(MeasureSummary summary)
    {
        var page = new ReportPage();
        page.Line(0, new PagePiece(summary.Paper, Ink.Heading));
        page.BlankLine();
        page.Line(4, $"  there: {summary.PaperMachine}");
        MeasureReport first = summary.Reports[0];
        page.Line(4, $"  here: {MeasureText.Machine(first.Machine)}; each measurement {ReadableDuration.Of(first.Elapsed)}");
        foreach (string refused in summary.Reports.SelectMany(static one => one.Settings).Where(static one => one.Refusal is not null)
            .Select(static one => $"{one.Name}: {one.Wanted} was refused: {one.Refusal}").Distinct())
        {
            page.Line(4, new PagePiece("  " + refused, Ink.Doubt));
        }

        page.BlankLine();
        page.Line(2, new PagePiece(
            "  " + "".PadRight(PlaceColumns + WhatColumns) + "there".PadLeft(NumberColumns) + "here".PadLeft(NumberColumns), Ink.Faint));
        foreach (PaperRow row in summary.Rows)
        {
            page.Line(
                2,
                "  " + PageText.Fit(row.Place, PlaceColumns) + PageText.Fit(row.What, WhatColumns) + row.Published.PadLeft(NumberColumns)
                + (row.Measured is { } value ? MeasureText.Number(value) : "-").PadLeft(NumberColumns) + " " + row.Unit);
        }

        page.BlankLine();
        foreach (string note in summary.Notes)
        {
            page.Line(2, "  ", note);
        }

        return page;
    }

    /// <summary>Writes a line for each figure.</summary>
    public static void WriteCsv(MeasureSummary summary, TextWriter output)
    {
        output.Write("profile,place,what,published,measured,unit\n");
        foreach (PaperRow row in summary.Rows)
        {
            output.Write(
                $"{summary.Profile},{CsvCell.OfText(row.Place)},{CsvCell.OfText(row.What)},{CsvCell.OfText(row.Published)},"
                + $"{row.Measured?.ToString("0.######", CultureInfo.InvariantCulture)},{CsvCell.OfText(row.Unit)}\n");
        }
    }
}
