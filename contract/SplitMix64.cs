namespace Tracer.Contract;

/// <summary>
/// Random numbers that are the same for the same seed on every machine and runtime: a counter and a mixing function (Steele, Lea, Flood,
/// Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
/// </summary>
public struct SplitMix64(ulong seed)
{
    /// <summary>From one state to the next.</summary>
    public const ulong Step = 0x9E3779B97F4A7C15;

    /// <summary>The counter. Its value decides all numbers that follow.</summary>
    public ulong State { get; set; } = seed;

    /// <summary>Mixes the bits of a number, so that near numbers give far ones.</summary>
    public static ulong Mix(ulong number)
    {
        number = unchecked((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9);
        number = unchecked((number ^ (number >> 27)) * 0x94D049BB133111EB);
        return number ^ (number >> 31);
    }

    /// <summary>A number from 0 up to, not including, 1, in steps of 2^-53.</summary>
    /// <param name="bits">Random bits, of which the upper 53 count.</param>
    public static double Fraction(ulong bits) => (bits >> 11) * (1.0 / (1UL << 53));

    /// <summary>The next 64 random bits.</summary>
    public ulong NextBits()
    {
        State = unchecked(State + Step);
        return Mix(State);
    }
}
