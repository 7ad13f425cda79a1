using Tracer.Analysis.Modules;

namespace Tracer.Commands.Tests.Blame;

/// <summary>What the histogram of a module's ISRs or DPCs tells of their lengths.</summary>
internal static class UsageQuantiles
{
    /// <summary>Where fewer runs lie beyond a quantile they tell too little of it.</summary>
    public const int RunsBeyond = 10;

    /// <summary>The length that a part of the runs does not exceed, in microseconds; null where too few lie beyond it.</summary>
    public static double? At(ModuleUsage usage, double part)
    {
        const double Shortest = 0.25;
        double all = usage.Histogram.Sum();
        if (all * (1 - part) < RunsBeyond)
        {
            return null;
        }

        double left = part * all;
        int bucket = 0;
        while (left > usage.Histogram[bucket])
        {
            left -= usage.Histogram[bucket++];
        }

        double low = bucket == 0 ? Shortest : 1L << (bucket - 1);
        return low * Math.Pow((1L << bucket) / low, left / usage.Histogram[bucket]);
    }
}
