namespace Tracer.Mutation;

/// <summary>What a constant is changed to: a little less and a little more.</summary>
internal static class OtherValues
{
    private const int Small = 10;

    public static IEnumerable<string> Of(object constant) => constant switch
    {
        double real => OfReal(real),
        float real => OfReal(real),
        sbyte or byte or short or ushort or int or uint or long or ulong => OfWhole(
            Int128.Parse(Convert.ToString(constant, CultureInfo.InvariantCulture)!, CultureInfo.InvariantCulture), constant),
        _ => [],
    };

    private static IEnumerable<string> OfReal(double value) => value == 0 || !double.IsFinite(value * 2)
        ? []
        : from other in new[] { value * 0.8, value * 1.25 }
          let text = other.ToString("G6", CultureInfo.InvariantCulture)
          select text.AsSpan().ContainsAny('.', 'E') ? text : text + ".0";

    private static IEnumerable<string> OfWhole(Int128 value, object constant)
    {
        (Int128 least, Int128 most) = constant switch
        {
            ulong => (0, ulong.MaxValue),
            uint => (0, uint.MaxValue),
            ushort => (0, ushort.MaxValue),
            byte => (0, byte.MaxValue),
            int => (int.MinValue, int.MaxValue),
            short => (short.MinValue, short.MaxValue),
            sbyte => (sbyte.MinValue, sbyte.MaxValue),
            _ => ((Int128)long.MinValue, (Int128)long.MaxValue),
        };
        Int128[] others = Int128.Abs(value) <= Small ? [value - 1, value + 1] : [value * 4 / 5, value * 5 / 4];
        return from other in others where other >= least && other <= most select other.ToString(CultureInfo.InvariantCulture);
    }
}
