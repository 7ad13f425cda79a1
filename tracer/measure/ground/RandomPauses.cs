namespace Tracer.Measure.Ground;

/// <summary>Numbers that look random and are the same for the same seed (xorshift64*, Vigna 2016). Allocates nothing.</summary>
internal sealed class RandomPauses
{
    private ulong _state;

    // Mixed, so that small seeds are far apart and none is the state 0.
    public RandomPauses(long seed) => _state = new SplitMix64(unchecked((ulong)seed)).NextBits() | 1;

    /// <param name="below">What it is below; 0 gives 0.</param>
    public long Next(long below)
    {
        _state ^= _state >> 12;
        _state ^= _state << 25;
        _state ^= _state >> 27;
        return below <= 0 ? 0 : (long)Math.BigMul(unchecked(_state * 0x2545_F491_4F6C_DD1D), (ulong)below, out _);
    }
}
