using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

/// <summary>
/// How much neighbouring blocks of time are alike, because a load lasts for longer than a block. Then they tell less than as many that do
/// not depend on each other: a mean of n blocks varies as one of n / inflation.
/// </summary>
/// <param name="Persistence">
/// What is left, from one block to the next, of that by which the load differs from its mean: 0 (nothing) to below 1.
/// </param>
public readonly record struct BlockMemory(double Persistence)
{
    /// <summary>More is no load that comes and goes but a drift, of which a recording holds no second.</summary>
    private const double Most = 0.98;

    /// <summary>From here on a load lasts for longer than a block, and what follows it is taken to follow it as far as it may.</summary>
    private const double Lasting = 0.5;

    /// <summary>With fewer blocks nothing is told of how alike neighbours are.</summary>
    private const int LeastBlocks = 6;

    /// <summary>Blocks do not depend on each other: each is a recording of its own.</summary>
    public static BlockMemory None { get; } = new(0);

    public BlockMemory Or(BlockMemory other) => Persistence >= other.Persistence ? this : other;

    /// <summary>
    /// What a value of each block tells of it. Where neighbours are surely alike, the load is taken to last as long as it may by those
    /// blocks (one standard error more): a recording of a few loads makes them look too short.
    /// </summary>
    /// <param name="sides">The values of each side, in order of time.</param>
    public static BlockMemory Of(params IReadOnlyList<double[]> sides)
    {
        double alike = Alike(sides);
        bool isSure = alike > 2 * Error(0, sides);
        return new(Math.Clamp(isSure ? alike + Error(alike, sides) : alike, 0, Most));
    }

    /// <summary>The standard error of a correlation of neighbours.</summary>
    private static double Error(double alike, IReadOnlyList<double[]> sides) =>
        Math.Sqrt(Math.Max(0, 1 - alike * alike) / Math.Max(1, sides.Sum(side => side.Length)));

    /// <summary>
    /// How many times as many blocks would be needed as of those that do not depend on each other; 1 or more. A value follows the load only
    /// in part (its own chance is new in each block), so that it is less alike from block to block, but for as long.
    /// </summary>
    /// <param name="sides">The values of each side, in order of time.</param>
    public double Inflation(params IReadOnlyList<double[]> sides)
    {
        double alike = Alike(sides);
        double first = Math.Clamp(Persistence >= Lasting ? alike + Error(alike, sides) : alike, 0, Most);
        int blocks = Math.Max(1, sides.Max(side => side.Length));
        double sum = 0;
        double left = 1;
        for (int apart = 1; apart < blocks; apart++)
        {
            sum += (1 - (double)apart / blocks) * left;
            left *= Math.Max(first, Persistence);
        }

        return 1 + 2 * first * sum;
    }

    /// <summary>
    /// The correlation of neighbours, of both sides together, each about its own mean. That mean is taken from the same blocks, which makes
    /// it come out too low by (1 + 3 r) / n (Marriott and Pope 1954); that is put right.
    /// </summary>
    private static double Alike(IReadOnlyList<double[]> sides)
    {
        double products = 0;
        double squares = 0;
        int least = int.MaxValue;
        foreach (double[] side in sides)
        {
            double mean = side.Length > 0 ? side.Average() : 0;
            double own = side.Sum(value => (value - mean) * (value - mean));
            if (side.Length < LeastBlocks || own <= 0)
            {
                continue;
            }

            least = Math.Min(least, side.Length);
            squares += own;
            for (int i = 1; i < side.Length; i++)
            {
                products += (side[i] - mean) * (side[i - 1] - mean);
            }
        }

        return squares > 0 ? (least * products / squares + 1) / (least - 3) : 0;
    }
}

/// <summary>What dependence does to an interval and to a chance.</summary>
/// <param name="Inflation">See <see cref="BlockMemory.Inflation"/>.</param>
/// <param name="Blocks">Blocks of both sides.</param>
internal readonly record struct Dependence(double Inflation, int Blocks)
{
    /// <summary>How much wider an interval is, on a scale of logarithms.</summary>
    public double Widening => Inflation > 1 ? Math.Sqrt(Inflation) * Beyond : 1;

    /// <summary>How much further Student's distribution reaches than the normal one, of so few independent blocks.</summary>
    private double Beyond =>
        StudentT.InvCDF(0, 1, Free, 1 - ComparisonRules.Outside / 2) / Normal.InvCDF(0, 1, 1 - ComparisonRules.Outside / 2);

    private double Free => Math.Max(1, Blocks / Inflation - 2);

    /// <summary>How often chance gives a difference of so many deviations to either side.</summary>
    public double Chance(double deviations) => Math.Min(1, 2 * StudentT.CDF(0, 1, Free, -Math.Abs(deviations)));

    /// <summary>A chance of the normal distribution, where the deviation is known from few independent blocks only.</summary>
    public double OfFew(double chance) => chance is > 0 and < 1 ? Chance(Normal.InvCDF(0, 1, chance / 2)) : chance;

    public (double Low, double High) Widen(double? ratio, double low, double high) => ratio is { } middle and > 0 && Inflation > 1
        ? (low > 0 ? middle * Math.Pow(low / middle, Widening) : low, high > 0 ? middle * Math.Pow(high / middle, Widening) : high)
        : (low, high);
}
