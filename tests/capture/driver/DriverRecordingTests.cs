using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;
using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Modules;
using Tracer.TracerCommand.Commands.Import;

namespace Tracer.Capture.Tests;

/// <summary>From the driver's records to a trace that the analysis reads: the performance counter, timer mode, no ISR time.</summary>
public sealed class DriverRecordingTests
{
    private const ulong Boot = 36_000_000_000_000;

    /// <summary>Wake-ups of a run: when they were due, in ticks of 100 ns since the first, and how late they came.</summary>
    private static readonly (ulong Due, ulong Late)[] Wakeups =
        [.. Enumerable.Range(0, 50).Select(i => ((ulong)i * 10_000, (ulong)(i % 7) * 1000))];

    [Fact]
    public void A_recording_holds_the_modules_and_every_record_in_order()
    {
        (byte[] bytes, DriverRecording recording) = Recorded(new FakeDriver());
        Assert.Equal((50L, 1L, 7ul), (recording.Wakeups, recording.Episodes, recording.Dropped));
        var reader = new DriverRecordReader(new MemoryStream(bytes));
        var types = new List<DriverRecordType>();
        while (reader.TryRead(out ReadOnlySpan<byte> record))
        {
            types.Add(DriverBatch.TypeOf(record));
        }

        Assert.Equal(
            [
                DriverRecordType.Module, DriverRecordType.Start, DriverRecordType.ClockSync,
                .. Enumerable.Repeat(DriverRecordType.Wakeup, 50), DriverRecordType.EpisodeBegin, DriverRecordType.Stop,
            ],
            types);
        Assert.Equal(0, reader.DamagedBytes);
    }

    [Fact]
    public void Imported_its_wakeups_have_the_times_that_were_measured()
    {
        (byte[] bytes, _) = Recorded(new FakeDriver());
        (TracerEvents events, TraceClock clock) = Imported(bytes);
        Assert.Equal((TraceClockKind.Qpc, 10_000_000L, (long)Boot), (clock.Kind, clock.TicksPerSecond, clock.HeaderTicks));
        Assert.Equal((1, 500_000ul, 0L), (events.Runs, events.ThresholdNanoseconds!.Value, events.Bad));
        Assert.Equal(
            Wakeups.Select(wakeup => ((long)(Boot + wakeup.Due), (long)wakeup.Late)),
            events.Wakeups.Select(wakeup => (wakeup.ExpectedTicks, wakeup.ServedTicks - wakeup.ExpectedTicks)));
        Every.Item(events.Wakeups, wakeup => Assert.Null(wakeup.IsrTicks));
    }

    [Fact]
    public void A_cycle_counter_s_run_keeps_its_latencies_too()
    {
        var driver = new FakeDriver();
        (driver.Status.Clock, driver.Status.ClockHz) = (ProbeClock.Tsc, 2_000_000_000);
        (byte[] bytes, _) = Recorded(driver);
        (TracerEvents events, TraceClock clock) = Imported(bytes);
        Assert.Equal(10_000_000, clock.TicksPerSecond);
        Assert.Equal(
            Wakeups.Select(wakeup => (long)wakeup.Late / 200),
            events.Wakeups.Select(wakeup => wakeup.ServedTicks - wakeup.ExpectedTicks));
    }

    [Theory]
    [InlineData(ulong.MaxValue)]
    [InlineData(1ul << 63)]
    public void A_counter_that_can_not_be_is_no_run(ulong clock)
    {
        byte[] start = new byte[56];
        var record = new StartRecord
        {
            Header = Records.Header<StartRecord>(DriverRecordType.Start),
            ClockHz = 10_000_000,
            Clock = ProbeClock.Qpc,
        };
        MemoryMarshal.Write(start, in record);
        ClockSyncRecord sync = Records.Sync(clock, clock);
        byte[] bytes = [.. start, .. MemoryMarshal.AsBytes(new ReadOnlySpan<ClockSyncRecord>(in sync))];
        Assert.Null(RecordingOverview.Read(new MemoryStream(bytes)));
    }

    [Fact]
    public void A_refused_run_writes_nothing()
    {
        using var client = new DriverClient(new FakeDriver());
        using var output = new MemoryStream();
        var plan = new DriverRunPlan { Mode = ProbeMode.Apic };
        Assert.Throws<DriverException>(() => DriverRecording.Write(client, plan, [default], output, CancellationToken.None));
        Assert.Equal(0, output.Length);
    }

    [Fact]
    public void A_driver_that_breaks_the_rules_meanwhile_is_stopped_and_told()
    {
        var driver = new FakeDriver();
        driver.Bend = (code, _, length) => code == DriverIoctl.Read ? length - 8 : length;
        using var client = new DriverClient(driver);
        DriverException failure = Assert.Throws<DriverException>(
            () => DriverRecording.Write(client, new DriverRunPlan(), [], new MemoryStream(), CancellationToken.None));
        Assert.Contains("batch of records", failure.Message, StringComparison.Ordinal);
        Assert.False(driver.IsRunning);
    }

    private static (byte[] Bytes, DriverRecording Recording) Recorded(FakeDriver driver)
    {
        using var client = new DriverClient(driver);
        using var output = new MemoryStream();
        using var cancellation = new CancellationTokenSource();
        var modules = ModuleRecords.Of([new KernelModule(0xFFFFF80000100000, 0x8000, "nic.sys")]);
        bool isFed = false;
        driver.Bend = (code, _, length) =>
        {
            if (code == DriverIoctl.Start && !isFed)
            {
                isFed = true;
                Feed(driver);
                cancellation.CancelAfter(TimeSpan.FromMilliseconds(100));
            }

            return length;
        };
        var recording = DriverRecording.Write(client, new DriverRunPlan { AllWakeups = true }, modules, output, cancellation.Token);
        return (output.ToArray(), recording);
    }

    private static void Feed(FakeDriver driver)
    {
        driver.Emit(Records.Sync(Boot, driver.Status.Clock == ProbeClock.Qpc ? Boot : 77));
        foreach ((ulong due, ulong late) in Wakeups)
        {
            driver.Wake(Boot + due, late);
        }

        driver.Emit(new EpisodeBeginRecord
        {
            Header = Records.Header<EpisodeBeginRecord>(DriverRecordType.EpisodeBegin),
            LatencyNs = 600_000,
            Episode = 1,
        });
        driver.Status.Dropped = 7;
    }

    private static (TracerEvents Events, TraceClock Clock) Imported(byte[] recording)
    {
        var stream = new MemoryStream(recording);
        RecordingOverview overview = RecordingOverview.Read(stream)!;
        stream.Position = 0;
        var trace = new MemoryStream();
        var imported = ImportedTrace.Write(stream, overview, trace);
        Assert.Equal((0L, 0L, 50L, 1), (imported.BadRecords, imported.DamagedBytes, imported.Wakeups, imported.Modules));
        trace.Position = 0;
        using var reader = EtlReader.Open(trace);
        var sink = new EventSink(new TracerEvents(reader.Header.Clock));
        reader.Read(EtlOrder.Time, ref sink);
        sink.Events.Complete();
        return (sink.Events, reader.Header.Clock);
    }

    private readonly struct EventSink(TracerEvents events) : IEtlEventSink
    {
        public TracerEvents Events => events;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            events.Add(in traceEvent);
            return true;
        }
    }
}
