using System.Buffers.Binary;
using Tracer.Contract;
using Tracer.Etl;

namespace Tracer.Analysis;

/// <summary>Which part of a longer trace a trace is. Times in ticks.</summary>
/// <param name="FromTicks">First moment that is judged; 0 for the start.</param>
/// <param name="ToTicks">Last moment that is judged.</param>
/// <param name="KeptFromTicks">First moment of which all is there.</param>
/// <param name="KeptToTicks">Last moment of which all is there.</param>
/// <param name="Samples">Profile samples that were left behind.</param>
/// <param name="Routines">Runs of ISRs and DPCs that were left behind.</param>
/// <param name="Switches">Context switches that were left behind.</param>
/// <param name="Stacks">Stacks that were left behind.</param>
public sealed record SliceMark(
    long FromTicks, long ToTicks, long KeptFromTicks, long KeptToTicks, ulong Samples, ulong Routines, ulong Switches, ulong Stacks)
{
    private const int Bytes = 64;

    /// <summary>Reads the payload of the event: eight u64 in this order.</summary>
    /// <returns>Null where it makes no sense.</returns>
    public static SliceMark? Read(ReadOnlySpan<byte> payload)
    {
        if (payload.Length < Bytes)
        {
            return null;
        }

        Span<long> values = stackalloc long[Bytes / sizeof(long)];
        for (int i = 0; i < values.Length; i++)
        {
            values[i] = BinaryPrimitives.ReadInt64LittleEndian(payload[(i * sizeof(long))..]);
        }

        return values[0] < 0 || values[1] < values[0] || values[2] < 0 || values[3] < values[2]
            ? null
            : new SliceMark(
                values[0], values[1], values[2], values[3], (ulong)values[4], (ulong)values[5], (ulong)values[6], (ulong)values[7]);
    }

    /// <summary>The part in times from the header event.</summary>
    public SlicePart Part(TraceClock clock)
    {
        Duration? Time(long ticks) => ticks is 0 or long.MaxValue ? null : new Duration(clock.NanosecondsFromHeader(ticks));
        return new SlicePart(Time(FromTicks), Time(ToTicks), Time(KeptFromTicks), Time(KeptToTicks));
    }
}
