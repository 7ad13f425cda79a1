namespace Tracer.Forecast;

/// <summary>
/// Keeps what was not observed, in bounded memory: where there are too many stretches, the smallest distances between them count as not
/// observed.
/// </summary>
internal sealed class UnobservedRecording
{
    /// <summary>Most stretches without records that are kept apart: beyond, the nearest are joined, and memory stays bounded.</summary>
    private const int Most = 4096;

    private List<(long FromNs, long ToNs)> _unobserved = [];

    /// <summary>Adds a stretch; one that ends at or before its beginning is none.</summary>
    public void Add(long fromNs, long toNs)
    {
        if (toNs <= fromNs)
        {
            return;
        }

        _unobserved.Add((fromNs, toNs));
        if (_unobserved.Count >= 2 * Most)
        {
            _unobserved = Joined(long.MaxValue);
            if (_unobserved.Count > Most)
            {
                JoinNearest();
            }
        }
    }

    /// <summary>What was not observed up to an end, in order and without overlap.</summary>
    public List<(long FromNs, long ToNs)> Joined(long endNs)
    {
        var joined = new List<(long FromNs, long ToNs)>();
        foreach ((long from, long to) in _unobserved.Order())
        {
            long cut = Math.Min(to, endNs);
            if (joined.Count > 0 && from <= joined[^1].ToNs)
            {
                joined[^1] = (joined[^1].FromNs, Math.Max(joined[^1].ToNs, cut));
            }
            else if (cut > from)
            {
                joined.Add((from, cut));
            }
        }

        return joined;
    }

    /// <summary>Closes the smaller distances, so that at most half as many stretches are left.</summary>
    private void JoinNearest()
    {
        long[] distances = [.. _unobserved.Zip(_unobserved.Skip(1), (one, next) => next.FromNs - one.ToNs).Order()];
        long close = distances[distances.Length / 2];
        var joined = new List<(long FromNs, long ToNs)> { _unobserved[0] };
        foreach ((long from, long to) in _unobserved.Skip(1))
        {
            if (from - joined[^1].ToNs <= close)
            {
                joined[^1] = (joined[^1].FromNs, to);
            }
            else
            {
                joined.Add((from, to));
            }
        }

        _unobserved = joined;
    }
}
