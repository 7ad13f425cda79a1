namespace Tracer.Simulator.Draws;

/// <summary>
/// Logarithm and exponential from the four basic operations alone. Those are exact to the bit by IEEE 754 everywhere, while the
/// functions of the C library differ in the last bit from system to system, and the same seed has to give the same nanoseconds.
/// </summary>
internal static class PortableLogarithm
{
    private const double LogarithmOf2 = 0.69314718055994530942;

    /// <summary>The natural logarithm of a positive, normal number.</summary>
    public static double Log(double value)
    {
        long bits = BitConverter.DoubleToInt64Bits(value);
        long exponent = ((bits >> 52) & 0x7FF) - 1023;
        double mantissa = BitConverter.Int64BitsToDouble((bits & 0x000F_FFFF_FFFF_FFFF) | 0x3FF0_0000_0000_0000);
        // log m = 2 artanh((m - 1) / (m + 1)); with m in [1, 2) the argument is at most 1/3 and 20 terms are enough.
        double ratio = (mantissa - 1) / (mantissa + 1);
        double square = ratio * ratio;
        double sum = 0;
        for (int odd = 39; odd > 0; odd -= 2)
        {
            sum = (sum * square) + (1.0 / odd);
        }

        return (2 * ratio * sum) + (exponent * LogarithmOf2);
    }

    /// <summary>The exponential of a number between -700 and 700.</summary>
    public static double Exp(double value)
    {
        double whole = Math.Floor((value / LogarithmOf2) + 0.5);
        double rest = value - (whole * LogarithmOf2);
        double sum = 1;
        for (int term = 18; term > 0; term--)
        {
            sum = 1 + (sum * rest / term);
        }

        return sum * BitConverter.Int64BitsToDouble(((long)whole + 1023) << 52);
    }
}
