using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Capture.Driver;

/// <summary>What records of the driver must look like, whether they come from its device or from a file.</summary>
public static class DriverRecordShape
{
    /// <summary>Bytes of <see cref="DriverRecordHeader"/>.</summary>
    public const int HeaderBytes = 8;

    /// <summary>Sizes are multiples of this.</summary>
    public const int Step = 8;

    /// <summary>Logical processors from 0 on that records may name: those of all groups, as many as a trace can name.</summary>
    public const int MostCpus = EtlBufferHeader.MaximumProcessors;

    private const int CallersOffset = 48;
    private const int CallerCountOffset = 43;

    /// <summary>
    /// Looks for a record at the beginning of some bytes: a whole one, with the length that its type demands, and of a CPU that there
    /// may be. One of an unknown type only has to be whole.
    /// </summary>
    /// <param name="size">Bytes of the record.</param>
    /// <returns>False where there is none.</returns>
    public static bool TryMeasure(ReadOnlySpan<byte> bytes, out int size, out bool isKnown)
    {
        size = 0;
        isKnown = false;
        if (bytes.Length < HeaderBytes)
        {
            return false;
        }

        DriverRecordHeader header = MemoryMarshal.Read<DriverRecordHeader>(bytes);
        if (header.Type == 0 || header.Size % Step != 0 || header.Size < HeaderBytes || header.Size > bytes.Length)
        {
            return false;
        }

        size = header.Size;
        isKnown = header.Type is >= DriverRecordType.Start and <= DriverRecordType.TimerState;
        return !isKnown || (header.Cpu < MostCpus && size == SizeOf(header.Type, bytes[..size]));
    }

    /// <summary>A wake-up of any version; what its version does not have is 0.</summary>
    public static WakeupRecord WakeupOf(ReadOnlySpan<byte> record)
    {
        WakeupRecord wakeup = default;
        record.CopyTo(MemoryMarshal.AsBytes(new Span<WakeupRecord>(ref wakeup)));
        return wakeup;
    }

    private static int SizeOf(DriverRecordType type, ReadOnlySpan<byte> record) => type switch
    {
        DriverRecordType.Start => Unsafe.SizeOf<StartRecord>(),
        DriverRecordType.ClockSync => Unsafe.SizeOf<ClockSyncRecord>(),
        DriverRecordType.Wakeup when record.Length == DriverAbi.WakeupBytesVersion1 => DriverAbi.WakeupBytesVersion1,
        DriverRecordType.Wakeup => Unsafe.SizeOf<WakeupRecord>(),
        DriverRecordType.EpisodeBegin => Unsafe.SizeOf<EpisodeBeginRecord>(),
        DriverRecordType.EpisodeEnd => Unsafe.SizeOf<EpisodeEndRecord>(),
        DriverRecordType.Stop => Unsafe.SizeOf<StopRecord>(),
        DriverRecordType.Module => Unsafe.SizeOf<ModuleRecord>(),
        DriverRecordType.TimerState => Unsafe.SizeOf<TimerStateRecord>(),
        _ when record.Length >= CallersOffset && record[CallerCountOffset] <= DriverAbi.MaxCallers =>
            CallersOffset + (sizeof(ulong) * record[CallerCountOffset]),
        _ => -1,
    };
}
