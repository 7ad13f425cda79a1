using Tracer.Analysis.Modules;

namespace Tracer.AnalyzerCommand.Common.Texts;

/// <summary>How long the ISRs and DPCs of a trace ran, counted as xperf does: what stands beside a text.</summary>
internal static class TraceRunTimes
{
    public static IReadOnlyList<ToldRunTimes> Of(string path, LevelUsage usage)
    {
        return [.. Level(usage.Isrs, isIsr: true), .. Level(usage.Dpcs, isIsr: false)];

        IEnumerable<ToldRunTimes> Level(IReadOnlyList<ModuleUsage> modules, bool isIsr) => modules
            .Select(module => One(module.Name ?? TextReport.Unknown, [module], isIsr))
            .Prepend(One(null, modules, isIsr));

        ToldRunTimes One(string? driver, IReadOnlyList<ModuleUsage> modules, bool isIsr)
        {
            List<RunTimeBucket> buckets = [];
            int used = modules.Count == 0 ? 0 : modules.Max(module => module.Histogram.ToList().FindLastIndex(count => count > 0) + 1);
            for (int i = 0; i < used; i++)
            {
                long over = i == 0 ? 0 : 1000L << (i - 1);
                buckets.Add(new RunTimeBucket(new Duration(over), new Duration(1000L << i), modules.Sum(module => module.Histogram[i])));
            }

            var total = new Duration(modules.Sum(module => module.Times.Sum(time => time.Nanoseconds)));
            return ToldRunTimes.Of(path, RunTimeSource.Trace, isIsr, driver, usage.Span, total, null, buckets);
        }
    }
}
