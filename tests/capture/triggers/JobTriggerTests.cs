using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;
using Tracer.Etl.Kernel;

#pragma warning disable CA1416 // Below these sessions is the fake Windows.

namespace Tracer.Capture.Tests;

/// <summary>The trigger <c>job</c>: what it tells of jobs, from records and on a fake Windows.</summary>
public sealed class JobTriggerTests
{
    private const uint Watched = 21;
    private const uint Other = 22;
    private const int Cpu = 3;

    private readonly JobWatch _jobs = new(["7"], null);

    public JobTriggerTests()
    {
        Thread(_jobs, 7, Watched);
        Thread(_jobs, 8, Other);
    }

    [Fact]
    public void A_job_has_lost_its_longest_stretch_and_not_its_work()
    {
        Ready(Watched, 100);
        Run(130);
        Assert.False(Leave(500, KernelThreadState.Ready, out _)); // Preempted.
        Run(900);
        Assert.False(Leave(1000, KernelThreadState.Waiting, out _, WaitReason.WrPageIn)); // A page is inside.
        Ready(Watched, 1100);
        Run(1200);
        Assert.True(Leave(5000, KernelThreadState.Waiting, out WatchedJob job));
        Assert.Equal(new WatchedJob(100, 400, false), job);
    }

    [Fact]
    public void An_interrupt_of_a_job_is_lost_and_one_beside_it_is_not()
    {
        Ready(Watched, 100);
        Run(100);
        Interrupt(KernelHook.Dpc, 50, 90, Cpu + 1);
        Interrupt(KernelHook.Isr, 200, 900, Cpu);
        Interrupt(KernelHook.Dpc, 1000, 3000, Cpu + 1); // Of another CPU.
        Assert.True(Leave(4000, KernelThreadState.Waiting, out WatchedJob job));
        Assert.Equal(700, job.LatencyTicks);
        Interrupt(KernelHook.Dpc, 4000, 9000, Cpu);
        Ready(Watched, 9000);
        Run(9001);
        Assert.True(Leave(9100, KernelThreadState.Waiting, out job));
        Assert.Equal(1, job.LatencyTicks);
    }

    [Theory]
    [InlineData(15, 1000, 2, false)] // No beat is known yet.
    [InlineData(16, 1000, 2, true)]
    [InlineData(16, 999, 2, false)] // It is done with the next beat.
    public void A_job_misses_the_next_beat(int beats, int afterTicks, int spare, bool isMissed)
    {
        Beat(beats + 1);
        long due = 1000 * (beats + 2);
        Ready(Watched, due);
        Run(due + spare);
        Assert.True(Leave(due + afterTicks + 1, KernelThreadState.Waiting, out WatchedJob job));
        Assert.Equal(new WatchedJob(due, isMissed ? afterTicks + 1 : spare, isMissed), job);
    }

    [Theory]
    [InlineData(600, 420, true)] // It was due 600 before, and is done 1,020 after that.
    [InlineData(600, 380, false)]
    [InlineData(1600, 420, false)] // It has slept through a beat: nobody knows why.
    public void A_job_that_is_made_ready_late_counts_from_when_it_was_due(int lateTicks, int workTicks, bool isMissed)
    {
        Beat(17);
        long due = 18_000;
        Ready(Watched, due + lateTicks);
        Run(due + lateTicks);
        Assert.True(Leave(due + lateTicks + workTicks, KernelThreadState.Waiting, out WatchedJob job));
        Assert.Equal(isMissed, job.IsMissed);
        Assert.Equal(lateTicks < 1000 ? due : due + lateTicks, job.FromTicks);
    }

    /// <summary>It could not be made ready when it was due: it was at work.</summary>
    [Fact]
    public void A_job_behind_one_that_took_too_long_is_not_due_before_that_was_done()
    {
        Beat(17);
        Ready(Watched, 18_000);
        Run(18_002);
        Assert.True(Leave(19_900, KernelThreadState.Waiting, out WatchedJob job));
        Assert.True(job.IsMissed);
        Ready(Watched, 19_990);
        Run(19_995);
        Assert.True(Leave(20_200, KernelThreadState.Waiting, out job));
        Assert.Equal(new WatchedJob(19_990, 5, false), job);
    }

    [Fact]
    public void A_told_deadline_needs_no_beat()
    {
        var jobs = new JobWatch(["7"], 300);
        Thread(jobs, 7, Watched);
        Feed(jobs, Kernel(KernelHook.ReadyThread, 100, Cpu, [.. BitConverter.GetBytes(Watched), 0, 0, 0, 0]));
        Feed(jobs, Switch(0, Watched, 110));
        Assert.True(jobs.OnEvent(Switch(Watched, 0, 401, KernelThreadState.Waiting), out WatchedJob job));
        Assert.Equal(new WatchedJob(100, 301, true), job);
    }

    [Fact]
    public void No_job_goes_across_a_loss_and_others_are_not_followed()
    {
        Ready(Watched, 100);
        Run(110);
        _jobs.Forget();
        Assert.False(Leave(900, KernelThreadState.Waiting, out _));
        Ready(Other, 1000);
        Feed(_jobs, Switch(0, Other, 1100));
        Assert.False(_jobs.OnEvent(Switch(Other, 0, 1200, KernelThreadState.Waiting), out _));
    }

    [Fact]
    public void Jobs_cost_no_memory_for_an_event()
    {
        Beat(20);
        EtlEvent ready = Kernel(KernelHook.ReadyThread, 21_000, Cpu, [.. BitConverter.GetBytes(Watched), 0, 0, 0, 0]);
        EtlEvent run = Switch(0, Watched, 21_001);
        EtlEvent leave = Switch(Watched, 0, 21_002, KernelThreadState.Waiting);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
        {
            _jobs.OnEvent(ready, out _);
            _jobs.OnEvent(run, out _);
            _jobs.OnEvent(leave, out _);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    /// <summary>On a machine whose audio engine is kept by DPCs each episode of the truth is told, and nothing else is as long.</summary>
    [Fact]
    public void A_session_tells_the_lost_time_of_a_machine()
    {
        MachineTrace machine = FakeMachines.Of("glitch-dpc", Duration.FromSeconds(2));
        decimal[] expected =
        [
            .. machine.Truth.Episodes.Where(one => one.Thread?.Process == "audiodg.exe").Select(one => one.Latency.Microseconds),
        ];
        Assert.NotEmpty(expected);
        using var windows = new FakeWindows(machine);
        var told = new LongOnes();
        using var trigger = new JobTrigger(
            new EtwSessions(), new MachineSize(machine.Header.ProcessorCount, 8L << 30), windows.Clock, ["AUDIODG.EXE"], null);
        trigger.Start();
        for (int i = 0; i < 6; i++)
        {
            windows.Clock.Wait(TimeSpan.FromSeconds(0.5), CancellationToken.None);
            trigger.Drain(told);
        }

        Assert.Equal(expected.Length, told.Microseconds.Count);
        Every.Item(expected.Zip(told.Microseconds), static pair => Assert.InRange(pair.Second, 0.95m * pair.First, pair.First + 400));
    }

    private void Beat(int times)
    {
        for (int i = 1; i <= times; i++)
        {
            Ready(Watched, 1000 * i);
            Run((1000 * i) + 2);
            Assert.True(Leave((1000 * i) + 100, KernelThreadState.Waiting, out _));
        }
    }

    private void Ready(uint thread, long ticks) =>
        Feed(_jobs, Kernel(KernelHook.ReadyThread, ticks, Cpu, [.. BitConverter.GetBytes(thread), 0, 0, 0, 0]));

    private void Run(long ticks) => Feed(_jobs, Switch(0, Watched, ticks));

    private bool Leave(long ticks, KernelThreadState state, out WatchedJob job, WaitReason reason = WaitReason.UserRequest) =>
        _jobs.OnEvent(Switch(Watched, 0, ticks, state, reason), out job);

    private void Interrupt(ushort hook, long fromTicks, long toTicks, int cpu) =>
        Feed(_jobs, Kernel(hook, toTicks, cpu, [.. BitConverter.GetBytes(fromTicks), .. new byte[16]]));

    private static void Feed(JobWatch jobs, in EtlEvent one) => Assert.False(jobs.OnEvent(one, out _));

    private static void Thread(JobWatch jobs, uint process, uint thread) => Feed(
        jobs, Kernel(0x0503, 0, 0, [.. BitConverter.GetBytes(process), .. BitConverter.GetBytes(thread), .. new byte[80]]));

    private static EtlEvent Switch(
        uint from, uint to, long ticks, KernelThreadState state = KernelThreadState.Waiting, WaitReason reason = WaitReason.UserRequest)
    {
        byte[] payload = new byte[24];
        BitConverter.TryWriteBytes(payload, to);
        BitConverter.TryWriteBytes(payload.AsSpan(4), from);
        (payload[12], payload[14]) = ((byte)reason, (byte)state);
        return Kernel(KernelHook.ContextSwitch, ticks, Cpu, payload);
    }

    private static EtlEvent Kernel(ushort hook, long ticks, int cpu, byte[] payload)
    {
        var header = new EtlEventHeader { Kind = EtlHeaderKind.System64, TimestampTicks = ticks, HookId = hook, Version = 3 };
        byte[] record = new byte[EventRecord.Measure(in header, payload.Length)];
        EventRecord.Write(record, in header, payload);
        Assert.True(EtlEvent.TryRead(record, cpu, 0, out EtlEvent one));
        return one;
    }

    private sealed class LongOnes : ITriggerSink
    {
        public List<decimal> Microseconds { get; } = [];

        public void OnMeasurement(in TriggerMeasurement measurement)
        {
            Assert.Equal(TriggerKind.Job, measurement.Kind);
            if (measurement.LatencyNs > 500_000)
            {
                Microseconds.Add(measurement.LatencyNs / 1000m);
            }
        }

        public void OnLost(TriggerKind kind, long count) => Assert.Fail("nothing was lost");
    }
}
