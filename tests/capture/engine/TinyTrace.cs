using System.Buffers.Binary;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Tests;

/// <summary>Snapshots and rundowns of a machine that does next to nothing: samples each ten milliseconds, and two drivers.</summary>
internal static class TinyTrace
{
    private const int Cpus = 2;
    private const long StepTicks = 100_000;
    private const uint Stamp = 0x5F00_0000;

    /// <summary>Writes a snapshot that reaches back so far.</summary>
    /// <param name="clock">The machine's clock.</param>
    /// <param name="seconds">How far.</param>
    public static void WriteSnapshot(string path, VirtualClock clock, double seconds)
    {
        long from = clock.Qpc - (long)(seconds * clock.QpcHz);
        using var writer = EtlWriter.Create(path, Header(clock, from));
        Span<byte> sample = stackalloc byte[16];
        sample.Clear();
        WritePulse(writer, from);
        for (long ticks = from; ticks <= clock.Qpc; ticks += StepTicks)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(sample, 0xFFFF_F800_0000_1000);
            for (int cpu = 0; cpu < Cpus; cpu++)
            {
                writer.Write(cpu, EtlEventHeader.PerfInfo(KernelHook.SampledProfile, 2, ticks), sample);
            }
        }

        writer.Complete(clock.UtcNow.ToFileTimeUtc());
    }

    /// <summary>Writes a file without an event.</summary>
    /// <param name="clock">The machine's clock.</param>
    public static void WriteEmpty(string path, VirtualClock clock)
    {
        using var writer = EtlWriter.Create(path, Header(clock, clock.Qpc));
        writer.Complete(clock.UtcNow.ToFileTimeUtc());
    }

    /// <param name="clock">The machine's clock.</param>
    /// <param name="lost">Events that it says it lost.</param>
    public static void WriteRundown(string path, VirtualClock clock, uint lost = 0)
    {
        using var writer = EtlWriter.Create(path, Header(clock, clock.Qpc) with
        {
            EventsLost = lost,
            Mode = EtlLogFileMode.Sequential | EtlLogFileMode.SystemLogger,
        });
        Span<byte> payload = stackalloc byte[512];
        foreach ((string name, ulong address) in new[] { ("ntoskrnl.exe", 0xFFFF_F800_0000_0000), ("nic.sys", 0xFFFF_F800_1000_0000) })
        {
            var image = new KernelImage(address, 0x10_0000, 0, Stamp, @"\SystemRoot\System32\" + name);
            int bytes = KernelPayloadWriter.WriteImage(payload, image);
            writer.Write(0, EtlEventHeader.System(KernelHook.ImageDCEnd, 3, clock.Qpc, 4, 8), payload[..bytes]);
        }

        writer.Complete(clock.UtcNow.ToFileTimeUtc());
    }

    /// <summary>One record of each kind that a machine that runs has in each second.</summary>
    private static void WritePulse(EtlWriter writer, long ticks)
    {
        Span<byte> payload = stackalloc byte[32];
        payload.Clear();
        BinaryPrimitives.WriteInt64LittleEndian(payload, ticks);
        ushort[] timed = [KernelHook.Isr, KernelHook.Dpc, KernelHook.Stack];
        foreach (ushort hook in timed)
        {
            writer.Write(0, EtlEventHeader.PerfInfo(hook, 2, ticks), payload);
        }

        payload.Clear();
        ushort[] others = [KernelHook.ContextSwitch, KernelHook.ReadyThread, KernelHook.DpcEnqueue, KernelHook.ClockInterrupt];
        foreach (ushort hook in others)
        {
            writer.Write(0, EtlEventHeader.PerfInfo(hook, 2, ticks), payload);
        }
    }

    private static EtlFileHeader Header(VirtualClock clock, long from) => new()
    {
        Clock = new TraceClock(TraceClockKind.Qpc, clock.QpcHz, from, (clock.UtcNow - new TimeSpan(clock.Qpc - from)).ToFileTimeUtc()),
        ProcessorCount = Cpus,
        BufferBytes = 4096,
        Mode = EtlLogFileMode.Buffering | EtlLogFileMode.SystemLogger,
    };
}
