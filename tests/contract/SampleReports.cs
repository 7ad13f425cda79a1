using Tracer.Etl;

namespace Tracer.Contract.Tests;

/// <summary>A report and a truth in which every field has a value, made by hand.</summary>
internal static class SampleReports
{
    private static readonly Cause NicDpc = new()
    {
        Culprit = "e1x64.sys",
        Mechanism = Mechanism.Dpc,
        Time = new Duration(6_167_001),
        Routine = "ndis.sys!ndisInterruptDpc",
    };

    private static readonly VictimThread AudioThread = new() { Pid = 1408, Tid = 12500, Process = "audiodg.exe", Priority = 24 };

    private static readonly Period EveryFiveSeconds = new() { Seconds = 5.001, JitterMs = 0.7, Coverage = 0.92 };

    private static readonly WithoutCulprit NothingLeft = new() { Episodes = 0, Worst = Duration.FromMicroseconds(104) };

    public static BlameReport Blame { get; } = new()
    {
        Trace = new TraceSummary
        {
            Path = "crackle.etl",
            StartUtc = new DateTime(2026, 11, 21, 9, 30, 0, DateTimeKind.Utc).AddTicks(1_234_567),
            UtcOffsetMinutes = 60,
            Duration = new Duration(12_345_678_901),
            Cpus = 2,
            OsBuild = 26100,
            PointerBits = 64,
            Clock = TraceClockKind.Qpc,
            Events = 271_260,
            EventsLost = 3,
            BuffersLost = 1,
            DamagedBuffers = 0,
            Truncated = false,
            Machine = new MachineSummary
            {
                Cpu = "A CPU @ 3.20GHz",
                Mhz = 3200,
                MemoryMb = 16_384,
                Hypervisor = null,
                Nics = ["Some Gigabit Adapter"],
                Video = ["Some Display Adapter"],
                Disks = ["Some Disk"],
            },
            Has = new RecordedKinds
            {
                IsrDpc = true,
                ContextSwitches = true,
                ReadyThread = true,
                Samples = true,
                Stacks = true,
                Images = true,
                Wdf = false,
                DpcQueue = false,
                Power = false,
                Wakeups = false,
            },
            SampleInterval = Duration.FromMilliseconds(1),
        },
        Settings = new BlameSettings
        {
            Cpus = [0, 1],
            At = Duration.FromSeconds(1),
            Zero = Duration.FromSeconds(2),
            Period = new Duration(10_000_000),
            Deadline = new Duration(5_000_000),
        },
        NextSteps = [new NextStep("Install another version of nic.sys", "it took nearly all of the late time")],
        Summary = new BlameSummary
        {
            Verdict = Verdict.Driver,
            Culprit = "e1x64.sys",
            Conclusion = "e1x64.sys ran DPCs of up to 6.17 ms: 99 % of the time that audiodg.exe waited too long.",
            Probes = 11_966,
            Episodes = 1,
            SecondaryEpisodes = 2,
            Worst = new Duration(6_230_400),
            OverThreshold = new Duration(6_230_400),
        },
        Culprits =
        [
            new Culprit
            {
                Rank = 1,
                Kind = CulpritKind.Driver,
                Name = "e1x64.sys",
                Mechanism = Mechanism.Dpc,
                Share = 0.989825,
                Blamed = new Duration(6_167_001),
                Episodes = 1,
                Worst = new Duration(6_167_001),
                Confidence = Confidence.Certain,
                Proof = Proof.Stack,
                Through = ["ndis.sys"],
                Functions = [new FunctionTime { Name = "e1x64.sys!Adapter::Poll<int>", Time = new Duration(6_100_000), Samples = 6 }],
                Period = EveryFiveSeconds,
                Without = NothingLeft,
                Image = new ImageDescription
                {
                    Path = @"C:\Windows\System32\drivers\e1x64.sys",
                    Version = "12.19.1.32",
                    Company = "Some Vendor",
                    Timestamp = new DateTime(2023, 4, 5, 6, 7, 8, DateTimeKind.Utc),
                },
                Device = null,
                Caller = new CulpritCaller("fan.exe", 11, 12),
                Evidence = ["6 of 6 stacks in the DPC pass through e1x64.sys."],
                Votes = new CulpritVotes { For = [new Vote(VoteKind.Stack, 6)], Against = [new Vote(VoteKind.HarmlessRun, 1_234)] },
            },
        ],
        Secondary = [],
        Recording = new RecordingCost(
            new InterruptCost(12_345, new Duration(61_725_000)), new InterruptCost(790, new Duration(1_580_000)), Share: 0.0025),
        Cleared = [new ClearedName("rt210d.sys", "largest total (137.5 ms), but no DPC over 0.13 ms and none in an episode")],
        Episodes =
        [
            new Episode
            {
                Id = 0,
                Probe = ProbeKind.Thread,
                Start = new Duration(-1_875_392_600),
                StartUtc = new DateTime(2026, 11, 21, 9, 29, 58, DateTimeKind.Utc).AddTicks(2_480_641),
                Latency = new Duration(6_230_400),
                Cpu = 0,
                Thread = AudioThread,
                Phases = new LatencyPhases { Interrupt = null, Dpc = new Duration(2_500), Thread = new Duration(6_227_900) },
                Job = new EpisodeJob
                {
                    Due = null,
                    Ready = new Duration(-1_875_392_600),
                    Run = new Duration(-1_869_162_200),
                    Work = new Duration(800_000),
                    Lost = new Duration(6_230_400),
                    End = new Duration(-1_868_362_200),
                    Deadline = new Duration(-1_865_392_600),
                },
                Causes = [NicDpc with { Chain = [new ChainLink { Thread = 312, Process = "mixer.exe", Why = "waited for a CPU" }] }],
                Samples = new EpisodeSamples
                {
                    Total = 6,
                    Functions = [new SampledFunction { Module = "e1x64.sys", Function = "Adapter::Poll<int>", Count = 6 }],
                },
            },
        ],
        Drivers =
        [
            new DriverActivity
            {
                Name = "e1x64.sys",
                Through = ["ndis.sys"],
                Isr = null,
                Dpc = new RoutineTimes
                {
                    Count = 3,
                    Total = new Duration(20_151_000),
                    Max = new Duration(7_346_800),
                    MaxAt = new Duration(5_000_000_000),
                    P50 = new Duration(6_237_200),
                    P90 = new Duration(7_346_800),
                    P999 = new Duration(7_346_800),
                    P99 = new Duration(7_346_800),
                    Histogram = [new DurationBucket(Duration.FromMicroseconds(8192), 3)],
                    PerCpu = [new CpuRoutineTimes(0, 3, new Duration(20_151_000), new Duration(7_346_800))],
                },
                QueueDelayMax = null,
            },
        ],
        Routines =
        [
            new RoutineActivity
            {
                Routine = "ndis.sys!ndisInterruptDpc",
                Driver = "e1x64.sys",
                Isr = null,
                Dpc = new RoutineTimes
                {
                    Count = 1,
                    Total = new Duration(6_102_000),
                    Max = new Duration(6_102_000),
                    P99 = new Duration(6_102_000),
                    Histogram = [new DurationBucket(Duration.FromMicroseconds(8192), 1)],
                },
                QueueDelayMax = new Duration(1_500),
            },
        ],
        Faults =
        [
            new FileFaults
            {
                Process = "audiodg.exe",
                Pid = 1408,
                File = @"C:\Windows\System32\audioeng.dll",
                Count = 2,
                Bytes = 36_864,
                Total = new Duration(14_200_000),
                Max = new Duration(9_100_000),
                MaxAt = new Duration(512_345_600),
            },
        ],
        Warnings = ["3 events and 1 buffer were lost while recording"],
    };

    public static TruthReport Truth { get; } = new()
    {
        Scenario = "nic-autosense",
        Seed = ulong.MaxValue,
        Cpus = 2,
        Duration = Duration.FromSeconds(40),
        Threshold = Duration.FromMicroseconds(500),
        Verdict = Verdict.Driver,
        Culprit = "e1x64.sys",
        Mechanism = Mechanism.Dpc,
        Culprits =
        [
            new TrueCulprit
            {
                Kind = CulpritKind.Driver,
                Name = "e1x64.sys",
                Mechanism = Mechanism.Dpc,
                Share = 0.989825,
                Blamed = new Duration(6_167_001),
                Episodes = 1,
                Through = ["ndis.sys"],
                Period = EveryFiveSeconds,
                Without = NothingLeft,
            },
        ],
        Innocents = ["rt210d.sys"],
        Episodes =
        [
            new TrueEpisode
            {
                Probe = ProbeKind.Thread,
                Start = new Duration(1_875_392_600),
                Latency = new Duration(6_167_001),
                Cpu = 0,
                Thread = AudioThread,
                Causes = [NicDpc],
            },
        ],
    };
}
