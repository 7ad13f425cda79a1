using Tracer.Analysis.Facts;
using Tracer.Capture.Probe;

namespace Tracer.Capture.Tests;

/// <summary>What the probe logs is what the analysis reads: through a trace file, by the schema that goes with each event.</summary>
public sealed class ProbeTraceTests
{
    private const long StartFileTime = 134_000_000_000_000_000;

    private static readonly ProbeSettings Settings = new() { Threshold = Duration.FromMicroseconds(500), Cpus = [0] };

    [Fact]
    public void The_analysis_reads_what_the_probe_logs()
    {
        const int Wakeups = 700;
        using var machine = new FakeProbeMachine { Late = (_, number) => number == 600 ? 21_000 : 0 };
        using var trace = new MemoryStream();
        var header = new EtlFileHeader
        {
            Clock = new TraceClock(TraceClockKind.Qpc, machine.QpcHz, machine.Qpc, StartFileTime),
            ProcessorCount = 1,
        };
        using (var writer = EtlWriter.Create(trace, header, leaveOpen: true))
        {
            machine.Log.Sink = (kind, payload) =>
            {
                TraceLoggingEventSchema schema = ProbeEvents.Schemas[(int)kind];
                writer.Write(0, schema.Header(machine.Qpc, processId: 4, threadId: 8), payload, schema.Items);
            };
            Measure(machine, Wakeups);
            writer.Complete(StartFileTime);
        }

        trace.Position = 0;
        using var reader = EtlReader.Open(trace);
        TracerEvents events = TraceFacts.Read(reader).Tracer;
        Assert.Equal((1, 0L, 0L), (events.Runs, events.Bad, events.Dropped));
        Assert.Equal(500_000UL, events.ThresholdNanoseconds);
        Assert.Equal(machine.Log.Count(ProbeEvent.Wakeup), events.Wakeups.Count);
        MeasuredWakeup late = events.Wakeups.MaxBy(wakeup => wakeup.ServedTicks - wakeup.ExpectedTicks);
        Assert.Equal((2, 28, 8u, 0UL), (late.Mode, (int)late.Priority, late.ThreadId, late.InterruptedIp));
        Assert.Null(late.IsrTicks);
        Assert.Null(late.DpcTicks);
        DriverEpisode episode = Assert.Single(events.Episodes);
        Assert.InRange(episode.LatencyNanoseconds, 2_100_000UL, 2_110_000UL);
        Assert.Equal((0u, null), (episode.Samples, episode.SmiCount));
    }

    private static void Measure(FakeProbeMachine machine, int wakeups)
    {
        using var memory = ProbeMemory.Create(1);
        var run = new ProbeRun(machine.Events);
        var thread = new ProbeThread(machine, Settings, run, memory.Ring(0), 0);
        using IProbeTimer timer = machine.OpenTimer(0, 28);
        machine.BeforeWait = (_, number) =>
        {
            if (number >= wakeups)
            {
                run.Stop();
            }
        };
        thread.Calibrate(timer);
        run.Events.Start(machine.QpcHz, Settings, thread.FloorNs, thread.Priority);
        run.Events.ClockSync(machine.Qpc);
        thread.Measure(timer);
        run.Events.ClockSync(machine.Qpc);
        run.Events.Stop(thread.Wakeups, thread.Lost);
    }
}
