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
        Span<ushort> fields = stackalloc ushort[8];
        for (int i = 0; i < fields.Length; i++)
        {
            fields[i] = BinaryPrimitives.ReadUInt16LittleEndian(bytes[(2 * i)..]);
        }

        return new(fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], fields[6], fields[7]);
    }

    /// <summary>Writes its eight fields of two bytes.</summary>
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
