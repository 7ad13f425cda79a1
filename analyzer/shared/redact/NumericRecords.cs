using System.Buffers.Binary;
using Tracer.Etl.Kernel;

namespace Tracer.AnalyzerShared.Redact;

/// <summary>
/// The records of numbers that blame reads: times, threads, addresses, priorities. They stay, cut behind the last field that is known;
/// what no table knows is not copied.
/// </summary>
internal static class NumericRecords
{
    private const int StackFramesAt = 16;

    /// <summary>Windows writes up to 192 frames.</summary>
    private const int MostFrames = 256;

    private const int MostProcessors = 4096;

    /// <summary>The bytes of a kernel record that are kept; null where no field of it is, or where it is written anew.</summary>
    public static int? Bytes(ushort hook, in EtlEvent traceEvent)
    {
        int pointer = traceEvent.PointerBytes;
        ReadOnlySpan<byte> payload = traceEvent.Payload;
        int? known = hook switch
        {
            KernelHook.SampledProfile or KernelHook.NmiSample or KernelHook.PmcSample => pointer + 8,
            KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.PassiveIsr => pointer + 16,
            KernelHook.Dpc or KernelHook.ThreadedDpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc => pointer + 8,
            KernelHook.WdfIsr or KernelHook.WdfPassiveIsr or KernelHook.WdfDpc or KernelHook.WdfWorkItem => pointer + 8,
            KernelHook.SetInterval or KernelHook.CollectionStart or KernelHook.CollectionStart + 1 => 12,
            KernelHook.DpcEnqueue => pointer + 16,
            KernelHook.DpcExecution => 2 * pointer,
            KernelHook.ContextSwitch => 28,
            KernelHook.ReadyThread => 8,
            KernelHook.SpinLock => (2 * pointer) + 40,
            KernelHook.PerformanceStateChange => 24,
            KernelHook.IdleEnter => 16,
            KernelHook.IdleExit => 8,
            KernelHook.IdleExitLatency => 20,
            KernelHook.HardFault => (2 * pointer) + 24,
            KernelHook.StackKernelKey or KernelHook.StackUserKey => pointer + 16,
            KernelHook.HypercallPage => pointer,
            0x0501 or 0x0502 or 0x0503 or 0x0504 => ThreadBytes(traceEvent.Version, pointer),
            0x0548 => 8,
            0x0B1B when payload.Length >= sizeof(uint) =>
                sizeof(uint) * (1 + (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(payload), MostProcessors)),
            _ => null,
        };
        return known is { } bytes ? Math.Min(bytes, payload.Length) : null;
    }

    /// <summary>Whether a record is a stack, or what a key of stacks means.</summary>
    public static bool IsStack(ushort hook) =>
        hook is KernelHook.Stack or KernelHook.StackKeyCreate or KernelHook.StackKeyDelete or KernelHook.StackKeyRundown;

    /// <summary>Writes a stack: its numbers and such frames as can be addresses; others become 0.</summary>
    public static void WriteStack(ushort hook, in EtlEvent traceEvent, PayloadBuffer payload)
    {
        int pointer = traceEvent.PointerBytes;
        int framesAt = Math.Min(hook == KernelHook.Stack ? StackFramesAt : pointer, traceEvent.Payload.Length);
        payload.Raw(traceEvent.Payload[..framesAt]);
        WriteAddresses(traceEvent.Payload[framesAt..], pointer, payload);
    }

    /// <summary>Writes addresses; what can be none becomes 0.</summary>
    public static void WriteAddresses(ReadOnlySpan<byte> addresses, int pointer, PayloadBuffer payload)
    {
        int count = Math.Min(MostFrames, addresses.Length / pointer);
        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<byte> at = addresses.Slice(i * pointer, pointer);
            ulong address = pointer == sizeof(uint)
                ? BinaryPrimitives.ReadUInt32LittleEndian(at)
                : BinaryPrimitives.ReadUInt64LittleEndian(at);
            payload.Pointer(pointer == sizeof(uint) || IsAddress(address) ? address : 0, pointer);
        }
    }

    /// <summary>Whether it lies in the half of the user (47 bits) or that of the kernel: no text of four characters does.</summary>
    private static bool IsAddress(ulong value) => value >> 47 == 0 || value >> 56 == 0xFF;

    private static int ThreadBytes(int version, int pointer) => version switch
    {
        0 => 8,
        1 => 8 + (6 * pointer) + 1,
        2 => 8 + (7 * pointer) + 4,
        _ => 8 + (7 * pointer) + 8,
    };
}
