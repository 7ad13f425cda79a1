using System.Text;

namespace Tracer.Mutation;

/// <param name="reasons">Why a survivor may live.</param>
internal sealed class MutationReport(ReasonFile reasons)
{
    /// <param name="command">How it was made.</param>
    /// <param name="mutants">Those that were run.</param>
    /// <param name="leftOut">Those that no test is asked to notice, with the reason.</param>
    /// <param name="all">How many there are.</param>
    public string Write(string command, List<Mutant> mutants, List<(Mutant Mutant, string Reason)> leftOut, int all)
    {
        var text = new StringBuilder();
        text.AppendLine("# Mutation run over the analysis").AppendLine();
        text.AppendLine(
            """
            Small changes of the sources (named constants a little lower and higher, comparisons with and without their edge, and/or,
            guards taken away, conditions turned round, + and -, Min and Max), and whether a test of `tests/analysis` fails for each: the
            tools are in [tests/mutation](../../tests/mutation/README.md).
            """).AppendLine();
        text.AppendLine($"This file is written by `{command}`.").AppendLine();
        string sample = mutants.Count + leftOut.Count < all ? " (a sample drawn by chance)" : "";
        Line(text, $"{all} mutants compile; {leftOut.Count} of them are left out for a reason (below), {mutants.Count} were run{sample}.");
        text.AppendLine();
        Table(text, "folder", mutants, mutant => mutant.Folder);
        Table(text, "file", mutants, mutant => mutant.File.Replace('\\', '/'));
        LivingOnes(text, mutants);
        text.AppendLine("## Left out").AppendLine().AppendLine("| mutants | reason |").AppendLine("|---:|---|");
        foreach (var group in leftOut.GroupBy(left => left.Reason).OrderBy(group => group.Key, StringComparer.Ordinal))
        {
            Line(text, $"| {group.Count()} | {group.Key} |");
        }

        return text.ToString().ReplaceLineEndings("\n");
    }

    private static void Line(StringBuilder text, FormattableString line) => text.AppendLine(FormattableString.Invariant(line));

    private static void Table(StringBuilder text, string heading, List<Mutant> mutants, Func<Mutant, string> nameOf)
    {
        Line(text, $"| {heading} | mutants | killed | survived | not covered | killed share |");
        text.AppendLine("|---|---:|---:|---:|---:|---:|");
        foreach (IGrouping<string, Mutant> group in mutants.GroupBy(nameOf).OrderBy(group => group.Key, StringComparer.Ordinal))
        {
            text.AppendLine(Row(group.Key, [.. group]));
        }

        if (heading == "folder")
        {
            text.AppendLine(Row("all", mutants));
        }

        text.AppendLine();
    }

    public static string Row(string name, List<Mutant> mutants)
    {
        int killed = mutants.Count(mutant => mutant.Fate == MutantFate.Killed);
        int survived = mutants.Count(mutant => mutant.Fate == MutantFate.Survived);
        int notCovered = mutants.Count(mutant => mutant.Fate == MutantFate.NotCovered);
        double share = mutants.Count == 0 ? 0 : 100.0 * killed / mutants.Count;
        return string.Create(
            CultureInfo.InvariantCulture, $"| {name} | {mutants.Count} | {killed} | {survived} | {notCovered} | {share:F1} % |");
    }

    private void LivingOnes(StringBuilder text, List<Mutant> mutants)
    {
        List<(Mutant Mutant, string? Reason)> living =
            [.. mutants.Where(mutant => mutant.Fate != MutantFate.Killed).Select(mutant => (mutant, reasons.Of(mutant)))];
        text.AppendLine("## Survivors").AppendLine();
        int explained = living.Count(one => one.Reason is not null);
        Line(text, $"{explained} of {living.Count} have a reason, from `tests/mutation/survivors.txt`.");
        foreach (var file in living.GroupBy(one => one.Mutant.File).OrderBy(file => file.Key, StringComparer.Ordinal))
        {
            Line(text.AppendLine(), $"### {file.Key.Replace('\\', '/')}");
            text.AppendLine();
            foreach ((Mutant mutant, string? reason) in file.OrderBy(one => one.Mutant.Line).ThenBy(one => one.Mutant.Id))
            {
                string fate = mutant.Fate == MutantFate.NotCovered ? " (not covered)" : "";
                string change = mutant.Change.Replace("`", "'", StringComparison.Ordinal);
                Line(text, $"- {mutant.Line}, {mutant.Member}: `{change}`{fate}{(reason is null ? "" : $": {reason}")}");
            }
        }

        text.AppendLine();
    }
}
