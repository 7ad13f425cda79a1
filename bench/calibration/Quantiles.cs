namespace Tracer.Bench.Calibration;

/// <summary>Lengths in microseconds and what is asked of them.</summary>
internal sealed class Quantiles
{
    private readonly List<double> _values = [];
    private bool _isSorted = true;

    /// <summary>How many.</summary>
    public int Count => _values.Count;

    /// <summary>All together, in microseconds.</summary>
    public double Sum => _values.Sum();

    /// <summary>The longest; 0 where there is none.</summary>
    public double Most => At(1);

    public void Add(double value)
    {
        _values.Add(value);
        _isSorted = false;
    }

    public void Add(Quantiles other)
    {
        _values.AddRange(other._values);
        _isSorted = false;
    }

    /// <summary>The length that a part of all does not exceed.</summary>
    /// <param name="part">0 to 1.</param>
    public double At(double part)
    {
        if (!_isSorted)
        {
            _values.Sort();
            _isSorted = true;
        }

        return _values.Count == 0 ? 0 : _values[Math.Min(_values.Count - 1, (int)(part * _values.Count))];
    }

    /// <summary>Median, 90th and 99th percentile and the longest, as a table has them.</summary>
    public string Text(params ReadOnlySpan<double> parts)
    {
        List<string> texts = [];
        foreach (double part in parts)
        {
            texts.Add(Count == 0 ? "-" : Number(At(part)));
        }

        return string.Join(" / ", texts);
    }

    /// <summary>A number with as many digits as it deserves.</summary>
    public static string Number(double value) => value.ToString(
        Math.Abs(value) switch { >= 100 => "0", >= 10 => "0.0", _ => "0.00" }, CultureInfo.InvariantCulture);
}
