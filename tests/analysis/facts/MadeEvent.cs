using System.Buffers.Binary;
using System.Text;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>Records made byte by byte, as the kernel writes them.</summary>
internal static class MadeEvent
{
    private const byte PerfInfo64 = 0x11;
    private const byte PerfInfo32 = 0x10;
    private const byte System64 = 0x02;
    private const byte Full64 = 0x14;

    /// <summary>A PERFINFO record.</summary>
    public static byte[] Kernel(ushort hookId, byte version, long ticks, byte[] payload, int pointerBytes = 8)
    {
        byte kind = pointerBytes == 8 ? PerfInfo64 : PerfInfo32;
        byte[] start = [version, 0, kind, 0xC0, .. Word(16 + payload.Length), (byte)hookId, (byte)(hookId >> 8)];
        return [.. start, .. Time(ticks), .. payload];
    }

    /// <summary>A SYSTEM record, which carries the thread and the process that logged it.</summary>
    public static byte[] System(ushort hookId, byte version, long ticks, uint threadId, uint processId, byte[] payload)
    {
        byte[] start = [version, 0, System64, 0xC0, .. Word(32 + payload.Length), (byte)hookId, (byte)(hookId >> 8)];
        return [.. start, .. Number(threadId), .. Number(processId), .. Time(ticks), .. new byte[8], .. payload];
    }

    /// <summary>A classic record, named by its class.</summary>
    public static byte[] Classic(Guid classId, byte opcode, byte version, long ticks, byte[] payload)
    {
        byte[] start = [.. Word(48 + payload.Length), Full64, 0xC0, opcode, 0, version, 0];
        return [.. start, .. new byte[8], .. Time(ticks), .. classId.ToByteArray(), .. new byte[8], .. payload];
    }

    public static byte[] Image(
        ulong imageBase, ulong size, uint processId, string name, uint stamp = 0, int pointerBytes = 8)
    {
        byte[] payload = new byte[(pointerBytes == 8 ? 56 : 44) + (2 * name.Length) + 2];
        KernelPayloadWriter.WriteImage(payload, new KernelImage(imageBase, size, processId, stamp, name), pointerBytes);
        return payload;
    }

    public static byte[] Thread(uint processId, uint threadId, sbyte priority = 8, ulong affinity = 3, string name = "")
    {
        byte[] payload = [.. new byte[72], .. Text(name)];
        BinaryPrimitives.WriteUInt32LittleEndian(payload, processId);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(4), threadId);
        BinaryPrimitives.WriteUInt64LittleEndian(payload.AsSpan(40), affinity);
        payload[68] = (byte)priority;
        return payload;
    }

    public static byte[] Process(uint processId, string name, ulong key)
    {
        byte[] payload = [.. new byte[40], .. Encoding.Latin1.GetBytes(name), 0, .. new byte[6]];
        BinaryPrimitives.WriteUInt64LittleEndian(payload, key);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(8), processId);
        return payload;
    }

    public static byte[] Numbers(params uint[] numbers) => [.. numbers.SelectMany(Number)];

    public static byte[] Text(string text) => [.. Encoding.Unicode.GetBytes(text), 0, 0];

    /// <summary>Gives a record to a table of kernel events.</summary>
    public static void Give(byte[] record, KernelTaker take, int cpu = 0)
    {
        Assert.True(EtlEvent.TryRead(record, cpu, 0, out EtlEvent traceEvent));
        take(traceEvent.HookId, in traceEvent);
    }

    /// <summary>Gives a record to a table of other events.</summary>
    public static void GiveOther(byte[] record, OtherTaker take, int cpu = 0)
    {
        Assert.True(EtlEvent.TryRead(record, cpu, 0, out EtlEvent traceEvent));
        take(in traceEvent);
    }

    private static byte[] Word(int value) => [(byte)value, (byte)(value >> 8)];

    private static byte[] Number(uint value) => BitConverter.GetBytes(value);

    private static byte[] Time(long ticks) => BitConverter.GetBytes(ticks);
}

internal delegate void KernelTaker(ushort hookId, in EtlEvent traceEvent);

internal delegate void OtherTaker(in EtlEvent traceEvent);
