namespace Tracer.Simulator.Draws;

/// <summary>
/// A sequence of random numbers that is the same for the same seed and name on every machine and .NET version. Each source of a
/// simulation (a device, a thread) draws from a sequence of its own name, so that taking one source out leaves the numbers of all others
/// as they were.
/// </summary>
public sealed class RandomSequence
{
    private readonly ulong _source;
    private readonly Occasions? _occasions;
    private SplitMix64 _bits;
    private ulong _betweenOccasions;
    private ulong _occasion;

    public RandomSequence(ulong seed) => _bits = new SplitMix64(seed);

    public RandomSequence(ulong seed, string source)
        : this(seed, source, null)
    {
    }

    /// <summary>Starts the sequence of one source of a machine of which there is a second run.</summary>
    internal RandomSequence(ulong seed, string source, Occasions? occasions)
    {
        ArgumentNullException.ThrowIfNull(source);
        // FNV-1a over the name: string.GetHashCode differs from process to process.
        const ulong OffsetBasis = 0xCBF29CE484222325;
        const ulong Prime = 0x100000001B3;
        ulong hash = OffsetBasis;
        foreach (char letter in source)
        {
            hash = (hash ^ letter) * Prime;
        }

        _bits = new SplitMix64(new SplitMix64(seed).NextBits() ^ hash);
        _source = hash;
        _occasions = occasions;
    }

    /// <summary>The source's name as a number.</summary>
    internal ulong Source => _source;

    /// <summary>64 random bits.</summary>
    public ulong NextBits()
    {
        if (_occasions is not null && _occasions.Now != _occasion)
        {
            ComeTo(_occasions.Now, _occasions.Memory);
        }

        return _bits.NextBits();
    }

    /// <summary>A whole number from 0 up to, not including, a limit; each as likely.</summary>
    /// <param name="limit">At least 1.</param>
    public long NextBelow(long limit)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(limit);
        // High half of a 128-bit product; draws below the remainder would favour some results and are drawn again (Lemire 2019).
        ulong range = (ulong)limit;
        ulong reject = unchecked(0 - range) % range;
        ulong low;
        ulong high;
        do
        {
            high = Math.BigMul(NextBits(), range, out low);
        }
        while (low < reject);

        return (long)high;
    }

    /// <summary>A number from 0 up to, not including, 1, in steps of 2^-53.</summary>
    public double NextFraction() => SplitMix64.Fraction(NextBits());

    private void ComeTo(ulong occasion, DrawMemory memory)
    {
        if (!memory.IsComplete)
        {
            if (occasion != 0)
            {
                memory.Keep(_source, occasion, _bits.State);
            }
        }
        else
        {
            _betweenOccasions = _occasion == 0 ? _bits.State : _betweenOccasions;
            _bits.State = occasion == 0 ? _betweenOccasions : memory.StateAt(_source, occasion);
        }

        _occasion = occasion;
    }
}
