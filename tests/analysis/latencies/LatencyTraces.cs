using System.Collections.Concurrent;
using System.Text;
using Tracer.Analysis.Latencies;
using Tracer.Simulator.Background;
using Tracer.Simulator.Scenarios;

namespace Tracer.Analysis.Tests.Latencies;

/// <summary>Simulated machines, what is measured on them, and how tests write it down.</summary>
internal static class LatencyTraces
{
    private const ulong Seed = 7;

    private static readonly ConcurrentDictionary<(string, int, BackgroundLoad?, int?), Lazy<byte[]>> Made = new();

    /// <summary>The trace of a machine, made when it is first asked for; nobody may change it.</summary>
    public static byte[] Simulated(string scenario, int seconds, BackgroundLoad? load = null, int? cpus = null) =>
        Made.GetOrAdd((scenario, seconds, load, cpus), _ => new(() => Make(scenario, seconds, load, cpus))).Value;

    private static byte[] Make(string scenario, int seconds, BackgroundLoad? load, int? cpus)
    {
        using var trace = new MemoryStream();
        var run = new ScenarioRun(ScenarioCatalog.Find(scenario)!, Seed) { Duration = Duration.FromSeconds(seconds) };
        run = load is { } asked ? run with { Load = asked } : run;
        _ = (cpus is { } count ? run with { Cpus = count } : run).WriteTo(trace);
        return trace.ToArray();
    }

    public static LatencyFindings Measure(byte[] trace, string name, LatencyRequest? request = null, ILatencySink? sink = null)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(trace), name);
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
