using Tracer.Forecast;

namespace Tracer.Bench.Diffs;

/// <summary>How a made machine is disturbed.</summary>
internal sealed record MadeMachine
{
    public required string Name { get; init; }

    /// <summary>Disturbances in a second.</summary>
    public double PerSecond { get; init; } = 0.5;

    /// <summary>How many follow each other on average within a second.</summary>
    public double BurstSize { get; init; } = 1;

    /// <summary>Seconds over which the load stays much the same; 0 for none.</summary>
    public double LoadSeconds { get; init; }

    /// <summary>Their length, as a multiple of the usual one.</summary>
    public double Length { get; init; } = 1;

    /// <summary>Disturbances in a second of a driver that is only there after the update.</summary>
    public double NewDriver { get; init; }

    /// <summary>Makes one recording.</summary>
    /// <param name="random">Its chance.</param>
    /// <param name="seconds">How long it is.</param>
    /// <param name="blocks">Into how many blocks it is cut.</param>
    public (LateBlock[] Episodes, CountedBlock[] OfNewDriver, HdrHistogram[] Latencies) Record(
        RandomNumbers random, double seconds, int blocks)
    {
        const double WaitsPerSecond = 250;
        const double UsualNs = 20_000;
        const double DisturbedNs = 900_000;
        const double EpisodeNs = 500_000;
        List<double>[] episodes = [.. Enumerable.Range(0, blocks).Select(_ => new List<double>())];
        long[] ofNew = new long[blocks];
        HdrHistogram[] latencies = [.. Enumerable.Range(0, blocks).Select(_ => new HdrHistogram(HdrLayout.Latencies))];
        double load = random.Normal();
        double keep = LoadSeconds > 0 ? Math.Exp(-0.1 / LoadSeconds) : 0;
        for (double time = 0; time < seconds; time += 0.1)
        {
            load = keep * load + Math.Sqrt(1 - keep * keep) * random.Normal();
            double busy = LoadSeconds > 0 ? Math.Exp(0.5 * load - 0.125) : 1;
            for (int i = random.Poisson(WaitsPerSecond * 0.1); i > 0; i--)
            {
                Add(time + 0.1 * random.Uniform(), UsualNs * busy * Math.Exp(0.8 * random.Normal()), isNew: false);
            }

            for (int bursts = random.Poisson(PerSecond / BurstSize * busy * 0.1); bursts > 0; bursts--)
            {
                int size = 1 + (BurstSize > 1 ? random.Poisson(BurstSize - 1) : 0);
                for (int i = 0; i < size; i++)
                {
                    Add(time + (size > 1 ? random.Uniform() : 0), DisturbedNs * Length * Math.Exp(0.5 * random.Normal()), isNew: false);
                }
            }

            for (int i = random.Poisson(NewDriver * 0.1); i > 0; i--)
            {
                Add(time, 2 * DisturbedNs * Math.Exp(0.3 * random.Normal()), isNew: true);
            }
        }

        return ([.. episodes.Select(late => new LateBlock(seconds / blocks, late))], Counted(ofNew), latencies);

        void Add(double time, double ns, bool isNew)
        {
            int block = Math.Clamp((int)(time / seconds * blocks), 0, blocks - 1);
            latencies[block].Record((long)ns);
            if (ns >= EpisodeNs)
            {
                episodes[block].Add(ns);
                ofNew[block] += isNew ? 1 : 0;
            }
        }

        CountedBlock[] Counted(long[] counts) => [.. counts.Select(count => new CountedBlock(seconds / blocks, count))];
    }
}
