using System.Buffers.Binary;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>Which CPU a victim waited for, and which waits are episodes at all.</summary>
public class EpisodeAnalysisTests
{
    /// <summary>
    /// CPU 0 makes thread 120 ready, it ran on CPU 1 last, CPU 2 is its ideal one, and CPU 3 runs it in the end. Each of the first three
    /// may have been busy for most of the wait.
    /// </summary>
    [Theory]
    [InlineData("abc", null, "alpha.sys dpc 900us, unexplained 100us", 0)]
    [InlineData("ac", null, "alpha.sys dpc 900us, unexplained 100us", 0)]
    [InlineData("bc", null, "beta.sys dpc 900us, unexplained 100us", 1)]
    [InlineData("b", null, "beta.sys dpc 900us, unexplained 100us", 1)]
    [InlineData("c", null, "gamma.sys dpc 900us, unexplained 100us", 2)]
    [InlineData("", null, "unexplained 1000us", 3)]
    [InlineData("abcd", null, "delta.sys dpc 900us, unexplained 100us", 3)]

    // What is not asked for is not looked at.
    [InlineData("abc", "3", "unexplained 1000us", 3)]
    [InlineData("abc", "0 3", "alpha.sys dpc 900us, unexplained 100us", 0)]
    [InlineData("abc", "2 3", "gamma.sys dpc 900us, unexplained 100us", 2)]
    [InlineData("abc", "0 1 2", "none", null)]
    public void The_first_cpu_that_explains_a_wait_is_the_one(string busy, string? asked, string causes, int? cpu)
    {
        string[] names = ["alpha", "beta", "gamma", "delta"];
        BlameReport report = BlamedText.Of(
            $"""
            cpus 4
            ask probe thread
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image alpha.sys    0xFFFFF800_30000000 0x100000
            image beta.sys     0xFFFFF800_31000000 0x100000
            image gamma.sys    0xFFFFF800_32000000 0x100000
            image delta.sys    0xFFFFF800_33000000 0x100000
            process 100 audio.exe
            process 200 work.exe
            thread 120 of 100 priority 24
            thread 210 of 200
            300us cpu1 switch 210(8) -> 120(24)
            400us cpu0 switch 0(0) -> 211(8)
            500us cpu1 switch 120(24) -> 212(8) ideal cpu2
            400us cpu2 switch 0(0) -> 213(8)
            400us cpu3 switch 0(0) -> 214(8)
            1000us cpu0 ready 120
            {string.Join('\n', busy.Select(letter => $"1950us cpu{letter - 'a'} dpc {names[letter - 'a']}.sys+0x100 from 1050us"))}
            2000us cpu3 switch 214(8) -> 120(24) old ready
            2100us cpu3 switch 120(24) -> 0(0)
            """,
            request => request with { Cpus = asked?.Split(' ').Select(int.Parse).ToArray() });
        Assert.Equal(causes, BlamedText.Causes(report));
        Assert.Equal(cpu, report.Episodes.Count > 0 ? report.Episodes[0].Cpu : null);
    }

    /// <summary>
    /// Thread 120 may use one CPU only. A DPC of the other one makes it ready and goes on for half of the wait, or less: then it is not
    /// what was waited for. Right before that DPC another one returned.
    /// </summary>
    [Theory]
    [InlineData(0, 500, "alpha.sys dpc 500us, beta.sys dpc 300us, unexplained 200us")]
    [InlineData(0, 499, "beta.sys dpc 300us, unexplained 700us")]
    [InlineData(1, 500, "alpha.sys dpc 500us, beta.sys dpc 300us, unexplained 200us")]
    [InlineData(1, 499, "beta.sys dpc 300us, unexplained 700us")]
    public void A_thread_is_dispatched_elsewhere_when_the_dpc_returns(int by, int lasts, string causes)
    {
        int on = 1 - by;
        Assert.Equal(causes, BlamedText.Causes(BlamedText.Of($"""
            cpus 2
            ask probe thread
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image alpha.sys    0xFFFFF800_30000000 0x100000
            image beta.sys     0xFFFFF800_31000000 0x100000
            process 100 audio.exe
            process 200 work.exe
            thread 120 of 100 priority 24 affinity 0x{1 << on}
            thread 210 of 200
            400us cpu{on} switch 120(24) -> 0(0)
            400us cpu{by} switch 0(0) -> 210(8)
            1000us cpu{by} dpc beta.sys+0x100 from 990us
            1000us cpu{by} ready 120
            {1_000 + lasts}us cpu{by} dpc alpha.sys+0x100 from 1000us
            1900us cpu{on} dpc beta.sys+0x100 from 1600us
            2000us cpu{on} switch 0(0) -> 120(24)
            2100us cpu{on} switch 120(24) -> 0(0)
            2200us cpu{by} switch 210(8) -> 0(0)
            """)));
    }

    /// <summary>The DPC that ran is not the one whose enqueue is known: the thread waits since it was made ready.</summary>
    [Theory]
    [InlineData(1_600, "other.sys", "none")]
    [InlineData(1_909, "other.sys", "none")]
    [InlineData(1_910, "other.sys", "other.sys dpc 20us, unexplained 480us")]
    [InlineData(1_600, "nic.sys", "unexplained 400us, nic.sys dpc 30us, unexplained 170us")]
    public void A_wait_that_began_later_than_it_seemed_may_be_too_short(int ran, string dpc, string causes)
    {
        BlameReport report = BlamedText.Of($"""
            cpus 1
            ask probe thread
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image nic.sys      0xFFFFF800_30000000 0x100000
            image other.sys    0xFFFFF800_31000000 0x100000
            process 100 audio.exe
            process 200 work.exe
            thread 120 of 100 priority 24
            thread 210 of 200
            400us cpu0 switch 120(24) -> 210(8)
            1000us cpu0 enqueue 0x1000 to cpu0 importance 2
            1400us cpu0 execute nic.sys+0x100 0x1000
            1410us cpu0 ready 120 from-dpc
            1430us cpu0 dpc {dpc}+0x100 from 1400us
            {ran}us cpu0 switch 210(8) -> 120(24) old ready
            2000us cpu0 switch 120(24) -> 0(0)
            """);
        Assert.Equal(dpc == "nic.sys" ? "nic.sys dpc 30us, unexplained 570us" : causes, BlamedText.Causes(report));
    }

    /// <summary>Where sampling stopped for the threshold or more there is an episode.</summary>
    [Theory]
    [InlineData(1_500, true)]
    [InlineData(1_501, false)]
    public void A_gap_is_an_episode_from_the_threshold_on(int threshold, bool isEpisode)
    {
        BlameReport report = BlamedText.Of($"""
            cpus 1
            ask probe gap
            ask threshold {threshold}us
            interval 1ms
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            process 200 work.exe
            thread 210 of 200
            100us cpu0 switch 0(0) -> 210(8)
            every 1ms from 1ms to 100ms but 51ms to 52ms : +0us cpu0 sample 0x401000 thread 210
            52.5ms cpu0 sample 0x401000 thread 210
            """);
        Assert.Equal(isEpisode ? [1_500_000L] : [], report.Episodes.Select(episode => episode.Latency.Nanoseconds));
    }

    /// <summary>A CPU that idled while a thread was ready is told, with the part of the time for which nothing shows why.</summary>
    [Theory]
    [InlineData(900, 1_100, 2_000, "90 %")]
    [InlineData(900, 1_500, 2_000, "50 %")]
    [InlineData(1_200, 1_200, 2_000, "80 %")]
    [InlineData(900, 1_000, 2_000, "100 %")]
    public void A_cpu_that_did_not_answer_is_told(int idle, int from, int to, string share)
    {
        BlameReport report = BlamedText.Of($"""
            cpus 1
            ask probe thread
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image nic.sys      0xFFFFF800_30000000 0x100000
            process 100 audio.exe
            process 200 work.exe
            thread 120 of 100 priority 24
            thread 210 of 200
            100us cpu0 switch 120(24) -> 0(0)
            200us cpu0 switch 0(0) -> 210(8)
            {idle}us cpu0 switch 210(8) -> 0(0)
            1000us cpu0 ready 120
            {(from > idle && from > 1_000 ? $"{from}us cpu0 dpc nic.sys+0x100 from 1000us" : "")}
            {to}us cpu0 switch 0(0) -> 120(24)
            2100us cpu0 switch 120(24) -> 0(0)
            2200us cpu0 switch 0(0) -> 210(8)
            """);
        Assert.Contains(share, Assert.Single(report.Warnings, text => text.Contains("did not answer", StringComparison.Ordinal)),
            StringComparison.Ordinal);
    }

    /// <summary>
    /// Asked for is what begins from 1000 to 9000 on CPU 0 or 1, for the thread of a glitch from 400 on; above 2000 a time is damaged.
    /// The trace was captured up to 9600, and the recorder wrote from 5000 to 5100.
    /// </summary>
    [Theory]
    [InlineData(1_000, 3_000, 0, 77u, true, 0)]
    [InlineData(1_000, 3_001, 0, 77u, false, 0)]
    [InlineData(1_500, 1_499, 0, 77u, false, 0)]
    [InlineData(999, 2_000, 0, 77u, false, 0)]
    [InlineData(999, 2_000, 0, null, false, 0)]
    [InlineData(400, 2_000, 0, 120u, true, 0)]
    [InlineData(399, 2_000, 0, 120u, false, 0)]
    [InlineData(9_000, 9_600, 1, 77u, true, 0)]
    [InlineData(9_000, 9_601, 1, 77u, false, 0)]
    [InlineData(9_001, 9_600, 1, 77u, false, 0)]
    [InlineData(1_000, 2_000, 2, 77u, false, 0)]
    [InlineData(4_500, 5_000, 0, 77u, true, 0)]
    [InlineData(4_500, 5_001, 0, 77u, false, 1)]
    [InlineData(4_500, 5_001, 2, 77u, false, 0)]
    public void Only_what_was_asked_for_is_wanted_and_never_our_own_work(
        long from, long to, int cpu, uint? thread, bool isWanted, long inOwnWork)
    {
        var recorder = new CaptureEvents();
        byte[] work = new byte[17];
        BinaryPrimitives.WriteInt64LittleEndian(work.AsSpan(1), 5_000);
        BinaryPrimitives.WriteInt64LittleEndian(work.AsSpan(9), 5_100);
        Assert.True(recorder.Add(TracerProvider.CaptureWork, work));
        byte[] window = new byte[59];
        BinaryPrimitives.WriteInt64LittleEndian(window.AsSpan(35), 9_600);
        Assert.True(recorder.Add(TracerProvider.Capture, window));
        var machine = new MadeMachine();
        var analysis = new EpisodeAnalysis(
            MadeMachine.Settings(recorder), machine.State, machine.Blackouts, null!, null!, null!, null!, null, machine.Budget);
        var delay = new Delay { Probe = ProbeKind.Thread, FromTicks = from, ToTicks = to, Cpu = cpu, ThreadId = thread };
        Assert.Equal((isWanted, inOwnWork), (analysis.Wants(delay), analysis.InOwnWork));
    }
}
