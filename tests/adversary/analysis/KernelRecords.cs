using System.Buffers.Binary;
using System.Text;

namespace Tracer.Adversary;

/// <summary>
/// Writes kernel records as Windows lays them out (the MOF classes of the NT Kernel Logger); times in ticks of 100 ns from the start of the
/// trace.
/// </summary>
internal static class KernelRecords
{
    public const long Microsecond = 10;
    public const long Millisecond = 1000 * Microsecond;
    public const long Second = 1000 * Millisecond;

    /// <summary>Bytes that a record takes in a trace.</summary>
    public const int RoutineBytes = 40;
    public const int SwitchBytes = 40;
    public const int ReadyBytes = 24;
    public const int SampleBytes = 32;

    /// <summary>What a stack takes without its frames of 8 bytes.</summary>
    public const int StackBytes = 32;

    private const ulong FirstBase = 0xFFFF_F800_1000_0000;
    private const ulong ImageBytes = 0x10_0000;
    private const ushort ProcessDCStart = 0x0303;
    private const ushort ThreadDCStart = 0x0503;
    private const byte Waiting = 5;

    public static ulong Code(int image, int offset = 0) => FirstBase + ((ulong)image * ImageBytes) + 0x1000 + (ulong)offset;

    /// <summary>An image of the kernel; all are written alike, so that their names are all that differs.</summary>
    public static void Image(this EtlWriter writer, int image, string path, long at = 0)
    {
        byte[] payload = new byte[64 + (2 * path.Length)];
        int bytes = KernelPayloadWriter.WriteImage(
            payload, new KernelImage(FirstBase + ((ulong)image * ImageBytes), ImageBytes, 0, 0x6600_0000, path));
        writer.Write(0, EtlEventHeader.PerfInfo(KernelHook.ImageDCStart, 3, Time(at)), payload.AsSpan(0, bytes));
    }

    /// <summary>The kernel, the HAL and some drivers: images 0 to <paramref name="drivers"/> + 1.</summary>
    public static void Images(this EtlWriter writer, int drivers)
    {
        writer.Image(0, @"\SystemRoot\system32\ntoskrnl.exe");
        writer.Image(1, @"\SystemRoot\system32\hal.dll");
        for (int number = 0; number < drivers; number++)
        {
            writer.Image(number + 2, $@"\SystemRoot\System32\drivers\d{number}.sys");
        }
    }

    /// <summary>A process that ran when the trace began.</summary>
    public static void Process(this EtlWriter writer, uint process, string name)
    {
        byte[] text = Encoding.Latin1.GetBytes(name);
        byte[] payload = new byte[40 + text.Length + 1 + 6];
        BinaryPrimitives.WriteUInt64LittleEndian(payload, 0xFFFF_A000_0000_0000 + (process * 0x1000ul));
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(8), process);
        text.CopyTo(payload, 40);
        writer.Write(0, EtlEventHeader.System(ProcessDCStart, 4, Time(0), 4, 8), payload);
    }

    /// <summary>A thread that ran when the trace began.</summary>
    public static void Thread(this EtlWriter writer, uint process, uint thread, byte priority)
    {
        Span<byte> payload = stackalloc byte[72];
        payload.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(payload, process);
        BinaryPrimitives.WriteUInt32LittleEndian(payload[4..], thread);
        BinaryPrimitives.WriteUInt64LittleEndian(payload[40..], ulong.MaxValue);
        payload[68] = priority;
        writer.Write(0, EtlEventHeader.System(ThreadDCStart, 3, Time(0), 4, 8), payload);
    }

    /// <summary>The interval of the profile interrupt.</summary>
    public static void Interval(this EtlWriter writer, long ticks)
    {
        Span<byte> payload = stackalloc byte[12];
        payload.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(payload[4..], (uint)ticks);
        BinaryPrimitives.WriteUInt32LittleEndian(payload[8..], (uint)ticks);
        writer.Write(0, EtlEventHeader.System(KernelHook.CollectionStart, 2, Time(0), 4, 8), payload);
    }

    /// <summary>An ISR, logged when it returns.</summary>
    public static void Isr(this EtlWriter writer, int cpu, long from, long to, ulong routine)
    {
        Span<byte> payload = stackalloc byte[20];
        BinaryPrimitives.WriteInt64LittleEndian(payload, Time(from));
        BinaryPrimitives.WriteUInt64LittleEndian(payload[8..], routine);
        (payload[16], payload[17], payload[18], payload[19]) = (1, 0x61, 0, 0);
        writer.Write(cpu, EtlEventHeader.PerfInfo(KernelHook.Isr, 2, Time(to)), payload);
    }

    /// <summary>A DPC, logged when it returns.</summary>
    public static void Dpc(this EtlWriter writer, int cpu, long from, long to, ulong routine, ushort hook = KernelHook.Dpc)
    {
        Span<byte> payload = stackalloc byte[16];
        BinaryPrimitives.WriteInt64LittleEndian(payload, Time(from));
        BinaryPrimitives.WriteUInt64LittleEndian(payload[8..], routine);
        writer.Write(cpu, EtlEventHeader.PerfInfo(hook, 2, Time(to)), payload);
    }

    public static void Ready(this EtlWriter writer, int cpu, long at, uint thread)
    {
        Span<byte> payload = stackalloc byte[8];
        payload.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(payload, thread);
        writer.Write(cpu, EtlEventHeader.PerfInfo(KernelHook.ReadyThread, 2, Time(at)), payload);
    }

    /// <summary>A CPU leaves a thread, which waits from then on, for another.</summary>
    public static void Switch(this EtlWriter writer, int cpu, long at, uint old, sbyte oldPriority, uint next, sbyte nextPriority)
    {
        Span<byte> payload = stackalloc byte[24];
        payload.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(payload, next);
        BinaryPrimitives.WriteUInt32LittleEndian(payload[4..], old);
        (payload[8], payload[9]) = ((byte)nextPriority, (byte)oldPriority);
        (payload[12], payload[14], payload[15]) = (15, Waiting, (byte)cpu);
        writer.Write(cpu, EtlEventHeader.PerfInfo(KernelHook.ContextSwitch, 4, Time(at)), payload);
    }

    /// <summary>A CPU of the first group is parked, or is no more.</summary>
    public static void Park(this EtlWriter writer, int cpu, long at, bool isParked)
    {
        Span<byte> payload = stackalloc byte[11];
        payload.Clear();
        payload[10] = (byte)cpu;
        var power = new Guid("0f67e49f-fe51-4e9f-b490-6f2948cc6027"); // Microsoft-Windows-Kernel-Processor-Power.
        writer.Write(cpu, EtlEventHeader.Event(power, (ushort)(isParked ? 14 : 15), 0, Time(at), 4, 8, sizeof(ulong)), payload);
    }

    /// <summary>A profile sample; flags are 1 in a DPC, 2 in an ISR, the thread's priority from bit 3 on.</summary>
    public static void Sample(this EtlWriter writer, int cpu, long at, ulong instruction, uint thread, byte flags = 0x40)
    {
        Span<byte> payload = stackalloc byte[16];
        BinaryPrimitives.WriteUInt64LittleEndian(payload, instruction);
        BinaryPrimitives.WriteUInt32LittleEndian(payload[8..], thread);
        (payload[12], payload[13], payload[14], payload[15]) = (1, 0, flags, 0);
        writer.Write(cpu, EtlEventHeader.PerfInfo(KernelHook.SampledProfile, 2, Time(at)), payload);
    }

    public static void Stack(this EtlWriter writer, int cpu, long of, uint thread, ReadOnlySpan<ulong> frames)
    {
        Span<byte> payload = stackalloc byte[16 + (8 * frames.Length)];
        KernelPayloadWriter.WriteStack(payload, Time(of), 4, thread, frames);
        writer.Write(cpu, EtlEventHeader.PerfInfo(KernelHook.Stack, 2, Time(of + 1)), payload);
    }

    /// <summary>A spin lock was given back that was held since a time, after somebody had waited for it.</summary>
    public static void SpinLock(this EtlWriter writer, int cpu, long from, long to, ulong address, ulong caller, uint thread, uint waited)
    {
        Span<byte> payload = stackalloc byte[56];
        payload.Clear();
        BinaryPrimitives.WriteUInt64LittleEndian(payload, address);
        BinaryPrimitives.WriteUInt64LittleEndian(payload[8..], caller);
        BinaryPrimitives.WriteInt64LittleEndian(payload[16..], Time(from));
        BinaryPrimitives.WriteInt64LittleEndian(payload[24..], Time(to));
        BinaryPrimitives.WriteUInt32LittleEndian(payload[32..], waited);
        BinaryPrimitives.WriteUInt32LittleEndian(payload[36..], waited > 0 ? 1000u : 0);
        BinaryPrimitives.WriteUInt32LittleEndian(payload[40..], thread);
        (payload[48], payload[49]) = (2, 1);
        writer.Write(cpu, EtlEventHeader.PerfInfo(KernelHook.SpinLock, 2, Time(to)), payload);
    }

    /// <summary>A record of any kind of which nothing is known but its first numbers.</summary>
    public static void Numbers(this EtlWriter writer, int cpu, ushort hook, byte version, long at, params ReadOnlySpan<ulong> numbers)
    {
        Span<byte> payload = stackalloc byte[8 * numbers.Length];
        for (int i = 0; i < numbers.Length; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(payload[(8 * i)..], numbers[i]);
        }

        writer.Write(cpu, EtlEventHeader.PerfInfo(hook, version, Time(at)), payload);
    }

    public static long Time(long ticks) => AdversaryTrace.FirstTicks + ticks;
}
