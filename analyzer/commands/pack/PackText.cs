using Tracer.Analysis;
using Tracer.Analysis.Slicing;
using Tracer.AnalyzerShared.Redact;

namespace Tracer.AnalyzerCommand.Commands.Pack;

/// <summary>Tells what a pack has become, and what was replaced in it.</summary>
internal static class PackText
{
    public static void Write(string path, PackedCase packed, TextWriter output)
    {
        PackContents pack = packed.Contents;
        PrintableWriter lines = PrintableWriter.Before(output);
        SliceResult slice = pack.Slice;
        SliceDifferences differences = slice.Differences;
        lines.WriteLine(
            $"{path}: {Counted.Of(packed.Files, "file")} in {Counted.Of(packed.Bytes.Length, "byte")}; the trace is judged from "
            + $"{ReadableDuration.At(slice.From)} to {ReadableDuration.At(slice.To)}");
        lines.WriteLine(differences switch
        {
            { Episodes: 0, Different: 0 } => "no episode in it, as in that part of the whole trace",
            { Different: > 0 } => $"{Counted.Of(differences.Different, "episode")} of it came out differently than in the whole trace, "
                + "which knows more: pack a longer part where that matters",
            { LessSure: > 0 } => $"{Counted.Of(differences.Episodes, "episode")} as in the whole trace, but for "
                + $"{differences.LessSure} it no longer shows who: what showed it lies outside",
            _ => $"{Counted.Of(differences.Episodes, "episode")}, as in the whole trace",
        });
        PackedVerdict part = PackContents.VerdictOf(slice.Report, static name => name);
        if (part.Verdict != pack.Whole.Verdict || part.Culprit != pack.Whole.Culprit)
        {
            lines.WriteLine(
                $"by itself it leads to another verdict than the whole trace, where {pack.Whole.Culprit ?? "nobody"} is to blame: pack "
                + "more with --episodes or --from and --to");
        }

        lines.WriteLine(pack.Redaction is null
            ? "names were kept: users, programs, files and whatever else Windows recorded can be read in it"
            : $"names were replaced ({Replaced(Numbers(pack.Redaction.Names))}); --show-redactions lists them");
        lines.Flush();
    }

    /// <summary>Writes each name that was kept or replaced.</summary>
    public static void WriteRedactions(Redaction redaction, TextWriter output)
    {
        PrintableWriter lines = PrintableWriter.Before(output);
        lines.WriteLine();
        lines.WriteLine("kept");
        foreach ((NameKind kind, string name, string why) in redaction.Names.Kept)
        {
            bool holdsName = redaction.Names.Without(name) != name;
            lines.WriteLine($"  {Word(kind),-9} {name}: {why}{(holdsName ? ", and holds the name of a person or machine" : "")}");
        }

        lines.WriteLine("  numbers   times, addresses, process and thread ids, sizes, versions and build dates of drivers");
        lines.WriteLine("replaced");
        foreach (NameKind kind in Enum.GetValues<NameKind>())
        {
            foreach ((string name, string replacement) in redaction.Names.Of(kind))
            {
                lines.WriteLine($"  {Word(kind),-9} {name} -> {replacement}");
            }
        }

        RedactionCounts counts = redaction.Counts;
        lines.WriteLine("taken out");
        lines.WriteLine($"  {Counted.Of(counts.Texts, "text")} of processes: command lines, user ids, packages");
        lines.WriteLine($"  the contents of {Counted.Of(counts.Emptied, "record")} that blame does not read");
        lines.WriteLine($"  {Counted.Of(counts.Cut, "record")} cut after the last known number");
        lines.WriteLine($"  {Counted.Of(counts.LeftOut, "record")} left out");
        lines.Flush();
    }

    private static string Word(NameKind kind) => kind.ToString().ToLowerInvariant();

    /// <summary>How many names of each kind were replaced, in words.</summary>
    public static string Replaced(IReadOnlyDictionary<string, int> names) => names.Count == 0
        ? "none was found"
        : string.Join(", ", names.Select(static kind => Plural(kind.Value, kind.Key)));

    /// <summary>How many names of each kind were replaced.</summary>
    public static IReadOnlyDictionary<string, int> Numbers(NameBook names) => new SortedDictionary<string, int>(
        Enum.GetValues<NameKind>().Where(kind => names.Count(kind) > 0).ToDictionary(Word, names.Count), StringComparer.Ordinal);

    private static string Plural(int count, string thing) => count == 1 ? Counted.Of(count, thing)
        : thing.EndsWith('s') ? Counted.Of(count, thing + "e")
        : thing.EndsWith('y') ? Counted.Of(count, thing[..^1] + "ie")
        : Counted.Of(count, thing);
}
