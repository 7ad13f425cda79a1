using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Gives numbers the names of an enumeration, without allocation: the names are looked up in an array.</summary>
internal static class NamedNumber<TEnum>
    where TEnum : struct, Enum
{
    private static readonly string?[] Names = NamesByValue();

    /// <summary>The number with its name, or alone where the enumeration does not know it.</summary>
    public static FieldValue Of(ulong value)
    {
        if (value < (ulong)Names.Length && Names[value] is string name)
        {
            return FieldValue.Named(value, name);
        }

        return value > long.MaxValue ? FieldValue.Signed((long)value) : FieldValue.Unsigned(value);
    }

    private static string?[] NamesByValue()
    {
        TEnum[] values = Enum.GetValues<TEnum>();
        int[] numbers = Array.ConvertAll(values, value => Convert.ToInt32(value, CultureInfo.InvariantCulture));
        var names = new string?[numbers.Max() + 1];
        for (int i = 0; i < values.Length; i++)
        {
            names[numbers[i]] = values[i].ToString();
        }

        return names;
    }
}
