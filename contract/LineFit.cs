namespace Tracer.Contract;

/// <summary>The line through points that comes closest to them by least squares; points are added one by one.</summary>
public struct LineFit
{
    private double _n;
    private double _sumX;
    private double _sumY;
    private double _sumXx;
    private double _sumXy;

    public void Add(double x, double y)
    {
        _n++;
        _sumX += x;
        _sumY += y;
        _sumXx += x * x;
        _sumXy += x * y;
    }

    /// <returns>Its slope, and y where x is 0; null where all points have the same x.</returns>
    public readonly (double Slope, double AtZero)? Line()
    {
        double spread = (_n * _sumXx) - (_sumX * _sumX);
        if (spread <= 0)
        {
            return null;
        }

        double slope = ((_n * _sumXy) - (_sumX * _sumY)) / spread;
        return (slope, (_sumY - (slope * _sumX)) / _n);
    }
}
