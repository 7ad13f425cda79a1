using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

/// <summary>
/// Compares how often something is met now and before on machines of which each is compared with itself, so that it does not matter that
/// some are watched more, or worse off, than others. The ratio is that of Mantel and Haenszel; what it may be off by follows from how the
/// machines differ (Liang and Zeger 1986), so that what one machine meets may depend on what it met before. Keeps five sums, however many
/// machines there are.
/// </summary>
public sealed class MatchedRates
{
    /// <summary>Fewer machines that tell something are no fleet.</summary>
    private const int LeastMachines = 6;

    private double _now;
    private double _before;
    private double _nowSquares;
    private double _beforeSquares;
    private double _products;

    /// <summary>Machines that tell something: looked at both before and now, and with something met.</summary>
    public long Machines { get; private set; }

    /// <param name="metBefore">How often it was met before.</param>
    /// <param name="before">How often it was looked for before.</param>
    public void Add(long metBefore, long before, long metNow, long now)
    {
        if (before <= 0 || now <= 0 || metBefore + metNow <= 0)
        {
            return;
        }

        Machines++;
        double one = metNow * (double)before / (before + now);
        double other = metBefore * (double)now / (before + now);
        _now += one;
        _before += other;
        _nowSquares += one * one;
        _beforeSquares += other * other;
        _products += one * other;
    }

    /// <summary>Compares; null where too few machines tell something.</summary>
    public Compared? Of()
    {
        if (Machines < LeastMachines)
        {
            return null;
        }

        double spread = Math.Sqrt(Math.Max(0, _nowSquares - (2 * _products) + _beforeSquares));
        double p = spread > 0 ? 2 * (1 - StudentT.CDF(0, 1, Machines - 1, Math.Abs(_now - _before) / spread)) : 1;
        if (_before <= 0 || _now <= 0)
        {
            return new Compared
            {
                Ratio = _before > 0 ? 0 : null,
                Low = 0,
                High = double.PositiveInfinity,
                P = Math.Clamp(p, 0, 1),
            };
        }

        double ratio = _now / _before;
        double variance = Math.Max(0, _nowSquares - (2 * ratio * _products) + (ratio * ratio * _beforeSquares));
        double wide = StudentT.InvCDF(0, 1, Machines - 1, 1 - (ComparisonRules.Outside / 2)) * Math.Sqrt(variance) / _now;
        return new Compared
        {
            Ratio = ratio,
            Low = ratio * Math.Exp(-wide),
            High = ratio * Math.Exp(wide),
            P = Math.Clamp(p, 0, 1),
        };
    }
}
