using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Tests;

/// <summary>A rundown of a thousand processes finds buffers for all of it, and what is lost all the same is told.</summary>
public sealed class RundownTakingTests : IDisposable
{
    private const int Processes = 1_000;
    private const int Images = 150 * Processes;
    private const int Threads = 10 * Processes;
    private const int SystemHeader = 32;

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-rundown-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>The burst comes before the first buffer is written to the file: the fake writes at the session's end.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(64)]
    public void AThousandProcessesFitTwice(int cpus)
    {
        SessionPlan plan = SessionPlans.Rundown(new MachineSize(cpus, 8L << 30), "x.etl");
        ref readonly EventTraceProperties block = ref PropertiesBlock.ForStart(plan).Properties;
        var session = new FakeSession(cpus)
        {
            Name = plan.Name,
            Handle = 1,
            Mode = block.LogFileMode,
            BufferBytes = 1024 * (int)block.BufferSize,
            MinimumBuffers = (int)block.MinimumBuffers,
            MaximumBuffers = (int)block.MaximumBuffers,
            FlushSeconds = 0,
            StartTicks = 1,
        };
        int image = ImageBytes(80);
        Assert.InRange(image, 200, 256);
        for (int pass = 0; pass < 2; pass++)
        {
            Log(session, Images, image, pass % cpus);
            Log(session, Processes, 2_000, pass % cpus);
            Log(session, Threads, 150, pass % cpus);
        }

        Assert.Equal(0u, session.EventsLost);
        Assert.InRange(SessionPlans.RundownBytes(Processes, Images, Threads), ((long)Images * image) + (Processes * 2_000L), 50_000_000);
    }

    [Theory]
    [InlineData(2, 137)] // 32 MiB
    [InlineData(8, 169)]
    [InlineData(64, 169)]
    public void ItsBuffersStayAPartOfTheMemory(int memoryGb, int buffers) =>
        Assert.Equal(buffers, SessionPlans.Rundown(new MachineSize(4, (long)memoryGb << 30), "x.etl").Buffers);

    [Fact]
    public void WhereMemoryIsShortThereAreFewerBuffers()
    {
        var sessions = new FakeSessions();
        sessions.Refusal = plan => plan.Buffers > 50 ? new EtwException("StartTrace", 1450, "no memory") { IsMemoryShort = true } : null;
        SessionPlan plan = SessionPlans.Rundown(new MachineSize(4, 8L << 30), Path.Combine(_folder, "x.etl"));
        RundownTaking.Take(sessions, plan);
        Assert.Equal(plan.Buffers / 4, Assert.Single(sessions.Started).Buffers);
        sessions.Refusal = _ => new EtwException("StartTrace", 8, "no memory");
        Assert.Throws<EtwException>(() => RundownTaking.Take(sessions, plan));
    }

    [Fact]
    public void LossesOfTheRundownAreTold()
    {
        var machine = new FakeCaptureMachine(_folder);
        var trigger = new FakeTrigger(machine.Clock, TriggerKind.Wakeup);
        machine.Sessions.WriteSnapshot = path => TinyTrace.WriteSnapshot(path, machine.Clock, 30);
        machine.Sessions.WriteRundown = path => TinyTrace.WriteRundown(path, machine.Clock, lost: 12);
        trigger.Measure(10, 700);
        var options = new CaptureOptions
        {
            Threshold = Duration.FromMicroseconds(500),
            OutputPath = Path.Combine(_folder, "capture.etl"),
        };
        new CaptureEngine(options, machine.Describe(), [trigger], static _ => null, machine.Observer).Run(CancellationToken.None);
        Assert.Contains(
            "the list of processes, threads and images lost 12 events and 0 buffers: some code will have no name",
            machine.Observer.Notes);
        Assert.Contains(
            "The list of processes, threads and images lost 12 events and 0 buffers: what has no name here may have had one.",
            CaptureRig.Blame(options.OutputPath, options.Threshold).Report.Warnings);
    }

    private static void Log(FakeSession session, int records, int bytes, int cpu)
    {
        byte[] record = new byte[bytes];
        for (int i = 0; i < records; i++)
        {
            session.Log(cpu, 1, record);
        }
    }

    private static int ImageBytes(int pathLength)
    {
        var image = new KernelImage(0x7FF0_0000_0000, 0x10_0000, 1, 0x5F00_0000, new string('x', pathLength));
        return SystemHeader + KernelPayloadWriter.WriteImage(new byte[1024], image);
    }
}
