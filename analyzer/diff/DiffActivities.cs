using Tracer.Contract;

namespace Tracer.AnalyzerCommand;

/// <summary>What drivers and routines took on both sides. Of these only totals are known, so that nothing is said of chance.</summary>
internal static class DiffActivities
{
    /// <summary>By driver.</summary>
    public static IReadOnlyList<ComparedActivity> Drivers(IReadOnlyList<DiffTrace> old, IReadOnlyList<DiffTrace> now) => Compare(
        Sum(old, report => report.Drivers.Select(one => (one.Name, one.Isr, one.Dpc)), _ => true),
        Sum(now, report => report.Drivers.Select(one => (one.Name, one.Isr, one.Dpc)), _ => true));

    /// <summary>
    /// By routine. A routine that has no name but its place in the file is the same only where the file is the same.
    /// </summary>
    public static IReadOnlyList<ComparedActivity> Routines(IReadOnlyList<DiffTrace> old, IReadOnlyList<DiffTrace> now)
    {
        Dictionary<string, bool> isSame = new(StringComparer.OrdinalIgnoreCase);
        bool IsTold(string routine)
        {
            int end = routine.IndexOfAny(['!', '+']);
            if (end <= 0 || routine[end] == '!')
            {
                return end > 0;
            }

            string module = routine[..end];
            if (!isSame.TryGetValue(module, out bool same))
            {
                isSame.Add(module, same = DiffMachine.IsAnother(old, now, module) == false);
            }

            return same;
        }

        return Compare(
            Sum(old, report => (report.Routines ?? []).Select(one => (one.Routine, one.Isr, one.Dpc)), IsTold),
            Sum(now, report => (report.Routines ?? []).Select(one => (one.Routine, one.Isr, one.Dpc)), IsTold));
    }

    private static IReadOnlyList<ComparedActivity> Compare(
        Dictionary<(string Name, bool Isr), ActivityRate> before, Dictionary<(string Name, bool Isr), ActivityRate> after) =>
    [
        .. before.Keys.Concat(after.Keys).Distinct()
            .Select(key => new ComparedActivity
            {
                Name = key.Name,
                Isr = key.Isr,
                Base = before.GetValueOrDefault(key),
                New = after.GetValueOrDefault(key),
            })
            .OrderByDescending(one => Math.Abs(
                (one.New?.TimePerSecond.Nanoseconds ?? 0) - (one.Base?.TimePerSecond.Nanoseconds ?? 0)))
            .ThenBy(one => one.Name, StringComparer.Ordinal).ThenBy(one => one.Isr),
    ];

    private static Dictionary<(string Name, bool Isr), ActivityRate> Sum(
        IReadOnlyList<DiffTrace> traces,
        Func<BlameReport, IEnumerable<(string Name, RoutineTimes? Isr, RoutineTimes? Dpc)>> rowsOf,
        Func<string, bool> isTold)
    {
        double seconds = traces.Sum(trace => trace.MeasuredNs) / 1e9;
        return traces
            .SelectMany(trace => rowsOf(trace.Blame))
            .Where(row => isTold(row.Name))
            .SelectMany(row => new[] { (Key: (row.Name, Isr: true), Times: row.Isr), (Key: (row.Name, Isr: false), Times: row.Dpc) })
            .Where(row => row.Times is { Count: > 0 })
            .GroupBy(row => row.Key)
            .ToDictionary(rows => rows.Key, rows =>
            {
                long count = rows.Sum(row => row.Times!.Count);
                long total = rows.Sum(row => row.Times!.Total.Nanoseconds);
                return new ActivityRate(
                    Math.Round(count / seconds, 3),
                    new Duration((long)(total / seconds)),
                    new Duration(total / count),
                    rows.Max(row => row.Times!.Max));
            });
    }
}
