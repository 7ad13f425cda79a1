namespace Tracer.Forecast.Tests;

/// <summary>
/// A tail known at some points only, as from a published table: between two points, and beyond the last, it is a straight line in
/// logarithms of both; below the first it is the first.
/// </summary>
internal sealed class PublishedTail : ILatencyTail
{
    private readonly (double LatencyNs, double Part)[] _points;

    /// <param name="points">
    /// Latencies in nanoseconds, ascending, each with the part of waits that take longer, descending and above 0.
    /// </param>
    /// <exception cref="ArgumentException">There is no point, or they are not in such an order.</exception>
    public PublishedTail(IReadOnlyList<(double LatencyNs, double Part)> points)
    {
        ArgumentNullException.ThrowIfNull(points);
        _points = [.. points];
        bool falls = _points.Zip(_points.Skip(1)).All(pair =>
            pair.First.LatencyNs < pair.Second.LatencyNs && pair.First.Part > pair.Second.Part);
        if (_points.Length == 0 || !falls || _points[^1].Part <= 0 || _points[0].LatencyNs <= 0)
        {
            throw new ArgumentException("The points of a tail must rise in latency and fall in part.", nameof(points));
        }
    }

    public double Above(double latencyNs)
    {
        if (_points.Length == 1 || latencyNs <= _points[0].LatencyNs)
        {
            return _points[0].Part;
        }

        int next = 1;
        while (next < _points.Length - 1 && _points[next].LatencyNs < latencyNs)
        {
            next++;
        }

        ((double fromNs, double from), (double toNs, double to)) = (_points[next - 1], _points[next]);
        double way = Math.Log(latencyNs / fromNs) / Math.Log(toNs / fromNs);
        return from * Math.Pow(to / from, way);
    }
}
