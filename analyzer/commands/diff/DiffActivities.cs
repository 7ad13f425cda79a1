using Tracer.Analysis.Report;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>What drivers and routines took on both sides.</summary>
internal sealed class DiffActivities(
    IReadOnlyList<DiffTrace> old,
    IReadOnlyList<DiffTrace> now,
    DiffBlocks blocks,
    BlockMemory memory,
    Func<Compared, double?, Change> changeOf)
{
    public IReadOnlyList<ComparedActivity> Drivers() => Compare(
        isRoutine: false,
        Sum(old, report => report.Drivers.Select(one => (one.Name, one.Isr, one.Dpc)), _ => true),
        Sum(now, report => report.Drivers.Select(one => (one.Name, one.Isr, one.Dpc)), _ => true));

    /// <summary>
    /// By routine. A routine that has no name but its place in the file is the same only where the file is the same.
    /// </summary>
    public IReadOnlyList<ComparedActivity> Routines()
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
            isRoutine: true,
            Sum(old, report => (report.Routines ?? []).Select(one => (one.Routine, one.Isr, one.Dpc)), IsTold),
            Sum(now, report => (report.Routines ?? []).Select(one => (one.Routine, one.Isr, one.Dpc)), IsTold));
    }

    private IReadOnlyList<ComparedActivity> Compare(
        bool isRoutine,
        Dictionary<(string Name, bool Isr), ActivityRate> before,
        Dictionary<(string Name, bool Isr), ActivityRate> after)
    {
        HashSet<string> shared = isRoutine ? [] : Shared();
        (string Name, bool Isr)[] keys = [.. before.Keys.Concat(after.Keys).Distinct().OrderBy(key => shared.Contains(key.Name))];
        (string Name, bool Isr)[] tested = [.. keys.Where(key => !shared.Contains(key.Name))];
        var oldBins = old.ToDictionary(trace => trace, trace => TimeBins(trace, isRoutine));
        var newBins = now.ToDictionary(trace => trace, trace => TimeBins(trace, isRoutine));
        Compared[] compared = [.. tested.Select(key => RateComparison.Of(
            blocks.Microseconds(old, trace => oldBins[trace].GetValueOrDefault(key)),
            blocks.Microseconds(now, trace => newBins[trace].GetValueOrDefault(key)),
            memory))];
        double[] corrected = Corrections.BenjaminiHochberg([.. compared.Select(one => one.P)]);
        return
        [
            .. keys.Select((key, i) => new ComparedActivity
            {
                Name = key.Name,
                Isr = key.Isr,
                Base = before.GetValueOrDefault(key),
                New = after.GetValueOrDefault(key),
                Change = i < compared.Length ? changeOf(compared[i], corrected[i]) : null,
            })
            .OrderByDescending(one => Math.Abs(
                (one.New?.TimePerSecond.Nanoseconds ?? 0) - (one.Base?.TimePerSecond.Nanoseconds ?? 0)))
            .ThenBy(one => one.Name, StringComparer.Ordinal).ThenBy(one => one.Isr),
        ];
    }

    /// <summary>Frameworks that were seen to run for drivers, and those drivers.</summary>
    private HashSet<string> Shared() => new(
        old.Concat(now).SelectMany(trace => trace.Blame.Drivers).Where(driver => driver.Through.Count > 0)
            .SelectMany(driver => driver.Through.Append(driver.Name)),
        StringComparer.OrdinalIgnoreCase);

    private static Dictionary<(string Name, bool IsIsr), ActivityTimeBins> TimeBins(DiffTrace trace, bool isRoutine) => trace.Activities
        .Where(bins => bins.IsRoutine == isRoutine)
        .GroupBy(bins => (bins.Name, bins.IsIsr))
        .ToDictionary(same => same.Key, same => same.First());

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
