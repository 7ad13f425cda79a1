using Tracer.Analysis.Latencies;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>What changed of the machine, as far as traces tell.</summary>
internal static class DiffMachine
{
    private static readonly string[] OfTheRecording = ["trace", "recorded", "length"];

    /// <summary>The rows of the table of machines in which the sides differ.</summary>
    public static IReadOnlyList<MachineChange> Changes(IReadOnlyList<DiffTrace> old, IReadOnlyList<DiffTrace> now)
    {
        Dictionary<string, string?> before = Rows(old);
        Dictionary<string, string?> after = Rows(now);
        return
        [
            .. before.Keys.Concat(after.Keys).Distinct()
                .Select(name => new MachineChange(name, before.GetValueOrDefault(name), after.GetValueOrDefault(name)))
                .Where(row => row.Base != row.New),
        ];
    }

    /// <summary>The images of the kernel that are not the same file: updated ones, rebuilt, other, added, removed, each by name.</summary>
    public static IReadOnlyList<DriverChange> Files(IReadOnlyList<DiffTrace> old, IReadOnlyList<DiffTrace> now)
    {
        Dictionary<string, DriverFile[]> before = ByName(old);
        Dictionary<string, DriverFile[]> after = ByName(now);
        bool areKnown = before.Count > 0 && after.Count > 0;
        return
        [
            .. before.Keys.Concat(after.Keys).Distinct(StringComparer.OrdinalIgnoreCase)
                .Where(_ => areKnown)
                .Order(StringComparer.OrdinalIgnoreCase)
                .Select(name => Change(before.GetValueOrDefault(name) ?? [], after.GetValueOrDefault(name) ?? []))
                .OfType<DriverChange>()
                .OrderBy(change => change.What switch { "updated" => 0, "rebuilt" => 1, "other" => 2, "added" => 3, _ => 4 }),
        ];
    }

    /// <summary>The versions of a file on one side; empty where they are not known.</summary>
    public static IReadOnlyList<string> Versions(IReadOnlyList<DiffTrace> traces, string name) =>
        Versions([.. traces.SelectMany(trace => trace.Drivers).Where(file => IsCalled(file, name))]);

    /// <summary>Whether a file is another one on the new side; null where the traces do not tell.</summary>
    public static bool? IsAnother(IReadOnlyList<DiffTrace> old, IReadOnlyList<DiffTrace> now, string name)
    {
        DriverFile[] before = [.. old.SelectMany(trace => trace.Drivers).Where(file => IsCalled(file, name))];
        DriverFile[] after = [.. now.SelectMany(trace => trace.Drivers).Where(file => IsCalled(file, name))];
        return before.Length > 0 && after.Length > 0 ? Change(before, after) is not null : null;
    }

    private static bool IsCalled(DriverFile file, string name) => string.Equals(file.Name, name, StringComparison.OrdinalIgnoreCase);

    private static Dictionary<string, string?> Rows(IReadOnlyList<DiffTrace> traces)
    {
        var merge = new LatencyMerge(new LatencyRequest { Splits = [] });
        foreach (DiffTrace trace in traces)
        {
            merge.Add(trace.Findings);
        }

        return merge.Report().System.Where(row => !OfTheRecording.Contains(row.Name)).ToDictionary(
            row => row.Name,
            row => row.Values.OfType<string>().Distinct().ToArray() is { Length: > 0 } values ? string.Join(" / ", values) : null);
    }

    private static Dictionary<string, DriverFile[]> ByName(IReadOnlyList<DiffTrace> traces) => traces
        .SelectMany(trace => trace.Drivers)
        .GroupBy(file => file.Name, StringComparer.OrdinalIgnoreCase)
        .ToDictionary(files => files.Key, files => files.ToArray(), StringComparer.OrdinalIgnoreCase);

    private static DriverChange? Change(DriverFile[] before, DriverFile[] after)
    {
        string[] old = Versions(before);
        string[] now = Versions(after);
        string? what = before.Length == 0 ? "added"
            : after.Length == 0 ? "removed"
            : old.Length > 0 && now.Length > 0 && !old.SequenceEqual(now) ? "updated"
            : IsSameBuild(before, after) ? null
            : old.Length > 0 && now.Length > 0 ? "rebuilt"
            : "other";
        DriverFile some = after.Concat(before).First();
        return what is null
            ? null
            : new DriverChange(
                some.Name, what, old, now, after.Concat(before).Select(file => file.Company).FirstOrDefault(one => one is not null));
    }

    private static string[] Versions(DriverFile[] files) =>
        [.. files.Select(file => file.Version).OfType<string>().Distinct().Order(StringComparer.Ordinal)];

    /// <summary>Builds of a file are told apart by the identity of its PDB; where a side lacks that, by its size.</summary>
    private static bool IsSameBuild(DriverFile[] before, DriverFile[] after)
    {
        bool haveIds = before.All(file => file.PdbId is not null) && after.All(file => file.PdbId is not null);
        return haveIds
            ? before.Select(file => file.PdbId).Intersect(after.Select(file => file.PdbId)).Any()
            : before.Select(file => file.Size).Intersect(after.Select(file => file.Size)).Any();
    }
}
