using Tracer.Capture.Doctor;

namespace Tracer.Capture.Tests;

/// <summary>What the self-test counts in a trace is of its own probe, or of the driver; not of whoever logs to the same provider.</summary>
public sealed class TraceCountTests : IDisposable
{
    private const uint OurProbe = 77;
    private const uint OtherProbe = 4711;
    private const uint Interrupted = 4;

    private readonly string _path = Path.GetTempFileName();

    public void Dispose() => File.Delete(_path);

    [Fact]
    public void WakeupsOfAProbeAreNotTheDrivers()
    {
        TraceContents read = Read(
            (OurProbe, ProbeMode.Wakeup), (OtherProbe, ProbeMode.Wakeup), (OtherProbe, ProbeMode.Wakeup), (Interrupted, ProbeMode.Timer),
            (OtherProbe, ProbeMode.Timer), (Interrupted, ProbeMode.Apic));
        Assert.Equal(3, read.DriverWakeups);
        Assert.Equal(1, read.Tracer[OurProbe]);
        Assert.Equal(3, read.Tracer[OtherProbe]);
    }

    [Fact]
    public void WhereOnlyAProbeLogsTheDriverIsNotHeard() => Assert.Equal(0, Read((OtherProbe, ProbeMode.Wakeup)).DriverWakeups);

    /// <summary>The other events of the provider are no wake-ups, whatever their first bytes are.</summary>
    [Fact]
    public void OnlyWakeupsCount()
    {
        using (EtlWriter writer = Create())
        {
            TraceLoggingEventSchema stop = TracerProvider.Stop.Schema();
            writer.Write(0, stop.Header(2_000, Interrupted, 8), ProviderPayload.Of(new StopEvent { Probes = 1 }), stop.Items);
            writer.Complete(DateTime.UtcNow.ToFileTimeUtc());
        }

        TraceContents read = TraceCount.Of(_path);
        Assert.Equal(0, read.DriverWakeups);
        Assert.Equal(1, read.Tracer[Interrupted]);
    }

    private TraceContents Read(params (uint Process, ProbeMode Mode)[] wakeups)
    {
        using (EtlWriter writer = Create())
        {
            TraceLoggingEventSchema schema = TracerProvider.Wakeup.Schema();
            ulong sequence = 0;
            foreach ((uint process, ProbeMode mode) in wakeups)
            {
                var wakeup = new WakeupEvent { Sequence = ++sequence, Mode = (byte)mode };
                writer.Write(0, schema.Header(1_000 + (long)sequence, process, 8), ProviderPayload.Of(in wakeup), schema.Items);
            }

            writer.Complete(DateTime.UtcNow.ToFileTimeUtc());
        }

        return TraceCount.Of(_path);
    }

    private EtlWriter Create() => EtlWriter.Create(_path, new EtlFileHeader
    {
        Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, 1_000, DateTime.UtcNow.ToFileTimeUtc()),
        ProcessorCount = 1,
        BufferBytes = 4096,
        Mode = EtlLogFileMode.Buffering,
    });
}
