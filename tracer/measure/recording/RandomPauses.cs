namespace Tracer.Measure;

/// <summary>Numbers that look random and are the same for the same seed (xorshift64*, Vigna 2016). Allocates nothing.</summary>
internal sealed class RandomPauses
{
    private ulong _state;

    /// <summary>Begins.</summary>
    /// <param name="seed">Any number.</param>
    public RandomPauses(long seed)
    {
        // A step of SplitMix64, so that small seeds are far apart and none is the state 0.
        ulong mixed = unchecked((ulong)seed + 0x9E37_79B9_7F4A_7C15);
        mixed = unchecked((mixed ^ (mixed >> 30)) * 0xBF58_476D_1CE4_E5B9);
        mixed = unchecked((mixed ^ (mixed >> 27)) * 0x94D0_49BB_1331_11EB);
        _state = (mixed ^ (mixed >> 31)) | 1;
    }

    /// <summary>The next number.</summary>
    /// <param name="below">What it is below; 0 gives 0.</param>
    public long Next(long below)
    {
        _state ^= _state >> 12;
        _state ^= _state << 25;
        _state ^= _state >> 27;
        return below <= 0 ? 0 : (long)Math.BigMul(unchecked(_state * 0x2545_F491_4F6C_DD1D), (ulong)below, out _);
    }
}
