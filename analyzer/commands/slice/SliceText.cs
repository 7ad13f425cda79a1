using Tracer.Analysis;
using Tracer.Analysis.Slicing;

namespace Tracer.AnalyzerCommand.Commands.Slice;

/// <summary>Tells what a slice has become.</summary>
internal static class SliceText
{
    public static void Write(string path, long bytes, SliceResult result, TextWriter output)
    {
        PrintableWriter lines = PrintableWriter.Before(output);
        lines.WriteLine(
            $"{path}: {Counted.Of(result.Events, "event")} in {Counted.Of(bytes, "byte")}; judged from "
            + $"{ReadableDuration.At(result.From)} to {ReadableDuration.At(result.To)}, with "
            + $"{ReadableDuration.Of(result.Before)} before it and {ReadableDuration.Of(result.Behind)} after it for what led to it");
        SliceDifferences differences = result.Differences;
        lines.WriteLine(differences switch
        {
            { Episodes: 0, Different: 0 } => "no episode in it, as in that part of the whole trace",
            { Different: > 0 } => $"{Counted.Of(differences.Different, "episode")} of it came out differently than in the whole trace, "
                + "which knows more: send the whole trace where that matters",
            { LessSure: > 0 } => $"{Counted.Of(differences.Episodes, "episode")} as in the whole trace, but for "
                + $"{differences.LessSure} it no longer shows who: what showed it lies outside",
            _ => $"{Counted.Of(differences.Episodes, "episode")}, as in the whole trace",
        });
        lines.Flush();
    }
}
