using System.Collections.Concurrent;
using System.IO.MemoryMappedFiles;
using System.Text;
using Tracer.Analysis.Latencies;
using Tracer.Simulator.Background;
using Tracer.Simulator.Scenarios;

namespace Tracer.Analysis.Tests.Latencies;

/// <summary>Simulated machines, what is measured on them, and how tests write it down.</summary>
internal static class LatencyTraces
{
    private const ulong Seed = 7;

    /// <summary>
    /// Traces and their lengths. They are not on the collector's heap: as long as that holds much, each answer over any trace begins with a
    /// collection of all.
    /// </summary>
    private static readonly ConcurrentDictionary<(string, int, BackgroundLoad?, int?), Lazy<(MemoryMappedFile File, long Bytes)>> Made = [];

    /// <summary>The trace of a machine, made when it is first asked for.</summary>
    public static Stream Simulated(string scenario, int seconds, BackgroundLoad? load = null, int? cpus = null)
    {
        (MemoryMappedFile file, long bytes) =
            Made.GetOrAdd((scenario, seconds, load, cpus), _ => new(() => Make(scenario, seconds, load, cpus))).Value;
        return file.CreateViewStream(0, bytes, MemoryMappedFileAccess.Read);
    }

    private static (MemoryMappedFile File, long Bytes) Make(string scenario, int seconds, BackgroundLoad? load, int? cpus)
    {
        using var trace = new MemoryStream();
        var run = new ScenarioRun(ScenarioCatalog.Find(scenario)!, Seed) { Duration = Duration.FromSeconds(seconds) };
        run = load is { } asked ? run with { Load = asked } : run;
        _ = (cpus is { } count ? run with { Cpus = count } : run).WriteTo(trace);
        var file = MemoryMappedFile.CreateNew(null, trace.Length);
        using Stream view = file.CreateViewStream(0, trace.Length, MemoryMappedFileAccess.Write);
        trace.WriteTo(view);
        return (file, trace.Length);
    }

    public static LatencyFindings Measure(byte[] trace, string name, LatencyRequest? request = null) =>
        Measure(new MemoryStream(trace), name, request);

    public static LatencyFindings Measure(Stream trace, string name, LatencyRequest? request = null, ILatencySink? sink = null)
    {
        using EtlReader reader = EtlReader.Open(trace, name);
        return LatencyAnalysis.Measure(name, reader, request ?? new LatencyRequest(), sink);
    }

    public static LatencyReport Report(LatencyRequest request, params ReadOnlySpan<LatencyFindings> findings)
    {
        var all = new LatencyMerge(request);
        foreach (LatencyFindings one in findings)
        {
            all.Add(one);
        }

        return all.Report();
    }

    public static string Described(LatencyReport report)
    {
        var text = new StringBuilder();
        foreach (LatencyDistribution one in report.Distributions)
        {
            text.Append(CultureInfo.InvariantCulture, $"{one.Kind} {one.Source} {PartOf(one.Part)}: {one.Count}, ")
                .Append(CultureInfo.InvariantCulture, $"{one.Minimum} {one.Mean} {one.Maximum};")
                .AppendJoin("", one.Percentiles.Select(percentile => $" {percentile.Value?.ToString() ?? "-"}"))
                .Append('\n');
        }

        foreach (CallbackIntervals one in report.Callbacks)
        {
            text.Append(CultureInfo.InvariantCulture, $"callbacks {one.Source} {one.Process} each {one.Period}: {one.Count}, ")
                .Append(CultureInfo.InvariantCulture, $"{one.Minimum} {one.Mean} {one.Maximum} +-{one.Deviation}, clock {one.Clock}\n")
                .AppendJoin("", one.Bins.Select(bin => $"  {bin.From} {bin.Count}\n"))
                .Append(one.Beat is null ? "" : $"  {one.Beat}\n");
        }

        return text
            .AppendJoin("", report.LeftOut.Select(one => $"left out {one.Kind} {one.Why}: {one.Count}\n"))
            .AppendJoin("", report.Missing.Select(one => $"missing {one.Kind}: {one.Why}\n"))
            .AppendJoin("", report.Warnings.Select(warning => $"warning {warning}\n"))
            .ToString();
    }

    private static string PartOf(LatencyPart part) => part == LatencyPart.All ? "all" : string.Join(
        '/',
        new[] { part.Trace, part.Group?.ToString(), Named("cpu", part.Cpu), Named("priority", part.Priority), part.Process, part.Label }
            .OfType<string>());

    private static string? Named(string name, int? number) => number is { } known ? $"{name} {known}" : null;
}
