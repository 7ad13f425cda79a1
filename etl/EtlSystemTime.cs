using System.Buffers.Binary;

namespace Tracer.Etl;

/// <summary>A SYSTEMTIME: 16 bytes, eight u16. In a time zone with year 0 it is a rule for every year.</summary>
/// <param name="Year">Year, or 0 for a rule.</param>
/// <param name="Month">1 to 12; 0 when a time zone has no such change.</param>
/// <param name="DayOfWeek">0 is Sunday.</param>
/// <param name="Day">Day of the month; in a rule 1 to 5, the first to the last such day of the week.</param>
/// <param name="Hour">Hour, 0 to 23.</param>
/// <param name="Minute">Minute, 0 to 59.</param>
/// <param name="Second">Second, 0 to 59.</param>
/// <param name="Millisecond">Millisecond, 0 to 999.</param>
public readonly record struct EtlSystemTime(
    ushort Year, ushort Month, ushort DayOfWeek, ushort Day, ushort Hour, ushort Minute, ushort Second, ushort Millisecond)
{
    /// <summary>Size in bytes.</summary>
    public const int Bytes = 16;

    /// <summary>Reads one.</summary>
    /// <param name="bytes">At least 16 bytes.</param>
    public static EtlSystemTime Read(ReadOnlySpan<byte> bytes)
    {
        return new(
            Field(bytes, 0), Field(bytes, 1), Field(bytes, 2), Field(bytes, 3), Field(bytes, 4), Field(bytes, 5), Field(bytes, 6), Field(bytes, 7));

        static ushort Field(ReadOnlySpan<byte> bytes, int index) => BinaryPrimitives.ReadUInt16LittleEndian(bytes[(2 * index)..]);
    }

    /// <summary>Writes it.</summary>
    /// <param name="bytes">At least 16 bytes.</param>
    public void Write(Span<byte> bytes)
    {
        ReadOnlySpan<ushort> fields = [Year, Month, DayOfWeek, Day, Hour, Minute, Second, Millisecond];
        for (int i = 0; i < fields.Length; i++)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(bytes[(2 * i)..], fields[i]);
        }
    }
}
