using System.Buffers.Binary;

namespace Tracer.Capture.Tests;

/// <summary>
/// Which CPUs are parked, as Microsoft-Windows-Kernel-Processor-Power tells: changes when they happen (14 ParkCore, 15 UnparkCore), and
/// all of it (65 ParkNodeRundown) when it is enabled or asked for its state.
/// </summary>
/// <param name="cpus">CPUs, of one node.</param>
internal sealed class ParkedState(int cpus)
{
    private const ushort ParkCore = 14;
    private const ushort UnparkCore = 15;
    private const ushort Rundown = 65;
    private const int NumberOffset = 10;
    private const int HeaderBytes = 80;
    private const uint NoThread = uint.MaxValue;

    private ulong _parked;

    public static Guid Provider { get; } = new("0f67e49f-fe51-4e9f-b490-6f2948cc6027");

    /// <summary>A CPU was parked or no longer is.</summary>
    public void Apply(ReadOnlySpan<byte> record)
    {
        if (EtlEvent.TryRead(record, 0, 0, out EtlEvent change) && change.Id is ParkCore or UnparkCore)
        {
            ulong cpu = 1ul << change.Payload[NumberOffset];
            _parked = change.Id == ParkCore ? _parked | cpu : _parked & ~cpu;
        }
    }

    /// <summary>Tells all of it: EVENT_HEADER64, u16 group, mask of the node, mask of the parked.</summary>
    public byte[] Record(long ticks)
    {
        byte[] record = new byte[HeaderBytes + 2 + (2 * sizeof(ulong))];
        Span<byte> bytes = record;
        BinaryPrimitives.WriteUInt16LittleEndian(bytes, (ushort)record.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes[2..], 0xC013);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[8..], NoThread);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[12..], NoThread);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[16..], ticks);
        Provider.TryWriteBytes(bytes[24..]);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes[40..], Rundown);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[(HeaderBytes + 2)..], ulong.MaxValue >> (64 - cpus));
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[(HeaderBytes + 10)..], _parked);
        return record;
    }
}
