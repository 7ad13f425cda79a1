using System.Text.Json;
using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// Writes a <see cref="Duration"/> as a JSON number of microseconds with at most three decimals and no trailing zeros: a nanosecond is
/// the thousandth of a microsecond, so nothing is rounded and printed parts add up to the printed whole.
/// Reads any JSON number in range and rounds it to the nearest nanosecond.
/// </summary>
public sealed class DurationAsMicroseconds : JsonConverter<Duration>
{
    /// <exception cref="JsonException">The number is no duration: out of range, or not a number at all.</exception>
    public override Duration Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        // The first check keeps the product inside the range of a decimal, the second inside that of a duration.
        if (reader.TokenType != JsonTokenType.Number || !reader.TryGetDecimal(out decimal microseconds)
            || Math.Abs(microseconds) > long.MaxValue
            || Math.Round(microseconds * 1000) is not (>= long.MinValue and <= long.MaxValue and decimal nanoseconds))
        {
            throw new JsonException("A number of microseconds is expected here.");
        }

        return new Duration((long)nanoseconds);
    }

    public override void Write(Utf8JsonWriter writer, Duration value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        // Dividing by a decimal that carries no zeros leaves none: 1500 ns is written 1.5, not 1.500.
        writer.WriteNumberValue(value.Nanoseconds / 1000m);
    }
}
