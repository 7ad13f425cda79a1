using Tracer.Analysis.Latencies;

namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>Writes all distributions as a histogram log of HdrHistogram: one line each, with what it is of as its tag.</summary>
internal static class LatencyLog
{
    public static void Write(LatencyReport report, LatencyMerge all, TextWriter output)
    {
        DateTime? start = report.Traces is [{ StartUtc: { } known }] ? known : null;
        HdrLog.WriteHeader("Latencies in nanoseconds, from analyzer latency", start, output);
        foreach (MeasuredPart part in all.Parts)
        {
            string tag = $"{KebabCase.Of(part.Kind)}/{KebabCase.Of(part.Source)}/{LatencyWords.Of(part.Part)}";
            HdrLog.Write(tag, 0, report.Measured.Nanoseconds / 1e9, part.Histogram, output);
        }
    }
}
