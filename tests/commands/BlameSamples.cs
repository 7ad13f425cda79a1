using Tracer.Analysis.Causes;
using Tracer.Analysis.Report;

namespace Tracer.Commands.Tests;

/// <summary>Reports as an analysis gives them, made by hand, one for each kind of answer.</summary>
internal static class BlameSamples
{
    public static readonly VictimThread Audio = new() { Pid = 1408, Tid = 12500, Process = "audiodg.exe", Priority = 24 };

    /// <summary>All of them, by the name that their stored texts have.</summary>
    public static IReadOnlyDictionary<string, BlameReport> All { get; } = new Dictionary<string, BlameReport>
    {
        ["driver"] = DriverBehindFramework(),
        ["masked"] = MaskedInterrupts(),
        ["hardware"] = Hardware(),
        ["process"] = Process(),
        ["none"] = None(),
        ["unknown"] = Unknown(),
        ["ownerless"] = OwnerUnknown(),
        ["thousand"] = Thousand(),
        ["suspect"] = WithSuspect(),
        ["not-there"] = WithoutSuspect(),
        ["bare"] = Bare(),
    };

    public static Duration Us(decimal microseconds) => new((long)(microseconds * 1000));

    public static Cause Cause(string? culprit, Mechanism mechanism, decimal microseconds, string? routine = null) =>
        new() { Culprit = culprit, Mechanism = mechanism, Time = Us(microseconds), Routine = routine };

    public static SampledFunction Hit(string? module, string? function, int count) =>
        new() { Module = module, Function = function, Count = count };

    public static Episode Episode(
        int id, ProbeKind probe, decimal start, decimal latency, int? cpu, VictimThread? thread, Cause[] causes,
        params SampledFunction[] hits) => new()
        {
            Id = id,
            Probe = probe,
            Start = Us(start),
            Latency = Us(latency),
            Cpu = cpu,
            Thread = thread,
            Phases = null,
            Causes = causes,
            Samples = new EpisodeSamples { Total = hits.Sum(one => one.Count), Functions = hits },
        };

    /// <summary>What ran on two CPUs while the audio thread of the driver sample waited.</summary>
    public static EpisodeStrips Strips(int id, Duration latency) => new(id,
    [
        new CpuStrip(0,
        [
            new StripSpan(Us(0), Us(212), StripKind.Isr, "ndis.sys"),
            new StripSpan(Us(212), new Duration((long)(latency.Nanoseconds * 0.9)), StripKind.Dpc, "e1x64.sys"),
        ]),
        new CpuStrip(1,
        [
            new StripSpan(Us(0), Us(1500), StripKind.Idle, ""),
            new StripSpan(Us(1500), Us(1800), StripKind.Thread, "chrome.exe"),
            new StripSpan(Us(3400), new Duration(latency.Nanoseconds - 3_400_000), StripKind.Idle, ""),
        ]),
    ]);

    private static EpisodeGroup Group(int rank, int episodes, decimal latency, decimal worst, int example, params string[] chain) => new()
    {
        Rank = rank,
        Episodes = episodes,
        Latency = Us(latency),
        Worst = Us(worst),
        Chain = chain,
        Frames = [],
        ExampleId = example,
    };

    private static RoutineTimes Times(long count, decimal total, decimal longest, decimal p99) =>
        new() { Count = count, Total = Us(total), Max = Us(longest), P99 = Us(p99) };

    private static TraceSummary Trace(string path, RecordedKinds has) => new()
    {
        Path = path,
        StartUtc = new DateTime(2026, 11, 21, 9, 30, 0, DateTimeKind.Utc),
        Duration = new Duration(40_345_678_901),
        Cpus = 2,
        OsBuild = 26100,
        PointerBits = 64,
        Clock = TraceClockKind.Qpc,
        Events = 271_260,
        EventsLost = 0,
        BuffersLost = 0,
        DamagedBuffers = 0,
        Truncated = false,
        Machine = new MachineSummary { Cpu = "A CPU @ 3.20GHz", Mhz = 3200, MemoryMb = 16_384 },
        Has = has,
        SampleInterval = Duration.FromMilliseconds(1),
    };

    private static RecordedKinds Everything(bool wdf = true) => new()
    {
        IsrDpc = true,
        ContextSwitches = true,
        ReadyThread = true,
        Samples = true,
        Stacks = true,
        Images = true,
        Wdf = wdf,
        DpcQueue = wdf,
        Power = wdf,
        Wakeups = false,
    };

    private static BlameReport Report(
        string name, Verdict verdict, string conclusion, long probes, Culprit[] culprits, Episode[] episodes,
        params string[] warnings) => new()
        {
            Trace = Trace(name + ".etl", Everything()),
            Settings = new BlameSettings(),
            Summary = new BlameSummary
            {
                Verdict = verdict,
                Culprit = culprits.Length > 0 ? culprits[0].Name : null,
                Conclusion = conclusion,
                Probes = probes,
                Episodes = episodes.Length,
                Worst = episodes.Length > 0 ? episodes.Max(one => one.Latency) : null,
                OverThreshold = episodes.Aggregate(Duration.Zero, (sum, one) => sum + one.Latency),
            },
            Culprits = culprits,
            Cleared = [],
            Episodes = episodes,
            Drivers = [],
            Warnings = warnings,
        };

    private static Culprit Blame(
        CulpritKind kind, string name, Mechanism mechanism, double share, decimal blamed, int episodes, decimal worst, Proof proof,
        Confidence confidence, params string[] evidence) => new()
        {
            Rank = 1,
            Kind = kind,
            Name = name,
            Mechanism = mechanism,
            Share = share,
            Blamed = Us(blamed),
            Episodes = episodes,
            Worst = Us(worst),
            Confidence = confidence,
            Proof = proof,
            Evidence = evidence,
        };

    private static BlameReport DriverBehindFramework()
    {
        Episode[] episodes =
        [
            .. Enumerable.Range(0, 8).Select(i => Episode(
                i, ProbeKind.Thread, 1_875_392.6m + (i * 5_000_912.3m), 6_167.001m + (i * 61.25m), 0, Audio,
                [
                    Cause("e1x64.sys", Mechanism.Dpc, 6_020.5m + (i * 60), "ndis.sys!ndisInterruptDpc"),
                    Cause("e1x64.sys", Mechanism.Isr, 42.25m, "ndis.sys!ndisMiniportIsr"),
                    Cause("usbport.sys", Mechanism.Isr, 31.5m, "usbport.sys+0x1a40"),
                ],
                Hit("e1x64.sys", "+0x4f10", 4), Hit("e1x64.sys", "+0x4f3c", 1), Hit("ndis.sys", "ndisInterruptDpc", 1))),
        ];
        BlameReport report = Report(
            "driver", Verdict.Driver,
            "The driver e1x64.sys is to blame: its DPCs, called by ndis.sys, kept CPU 0 busy in all 8 episodes, 98.7 % of the latency, "
                + "up to 6.48 ms at a time.",
            2_403,
            [
                Blame(
                    CulpritKind.Driver, "e1x64.sys", Mechanism.Dpc, 0.987_2, 50_182, 8, 6_482.75m, Proof.Stack, Confidence.Certain,
                    "8 DPCs of ndis.sys ran for 6.0 to 6.4 ms inside the episodes, and no longer than 38 us outside them",
                    "40 of 48 samples inside them hit e1x64.sys; in all 8 stacks it is the first module above ndis.sys",
                    "the ISR that queued them, ndisMiniportIsr with message 2, serves e1x64.sys alone") with
                {
                    Through = ["ndis.sys"],
                    Device = "A Gigabit Network Connection",
                    Functions =
                    [
                        new FunctionTime { Name = "e1x64.sys+0x4f10", Time = Us(40_120), Samples = 32 },
                        new FunctionTime { Name = "e1x64.sys+0x4f3c", Time = null, Samples = 8 },
                    ],
                    Image = new ImageDescription
                    {
                        Path = @"C:\Windows\System32\drivers\e1x64.sys",
                        Version = "12.17.10.8",
                        Company = "A Vendor",
                        Timestamp = new DateTime(2018, 6, 5, 0, 0, 0, DateTimeKind.Utc),
                    },
                },
                Blame(
                    CulpritKind.Driver, "usbport.sys", Mechanism.Isr, 0.005, 252, 8, 31.5m, Proof.Routine, Confidence.Certain) with
                {
                    Rank = 2,
                },
            ],
            episodes);
        return report with
        {
            Cleared =
            [
                new ClearedName("tcpip.sys", "it has the largest total of all drivers, 1.2 s, but none of it inside an episode"),
                new ClearedName("ndis.sys", "it only called the DPCs of e1x64.sys; its own code took 84 us of them"),
            ],
            Drivers =
            [
                new DriverActivity
                {
                    Name = "usbport.sys", Isr = Times(40_211, 160_844, 33.1m, 9.8m), Dpc = Times(40_102, 240_612.5m, 61, 21.5m),
                    QueueDelayMax = Us(55.2m),
                },
                new DriverActivity
                {
                    Name = "e1x64.sys", Isr = Times(12_034, 24_068, 42.25m, 12), Dpc = Times(12_030, 171_240.125m, 6_440.5m, 38),
                    QueueDelayMax = Us(6_212.4m),
                },
                new DriverActivity { Name = "tcpip.sys", Isr = null, Dpc = Times(80_655, 1_209_825, 88, 41.2m), QueueDelayMax = null },
                new DriverActivity { Name = "ACPI.sys", Isr = Times(12, 96, 11, 11), Dpc = null, QueueDelayMax = null },
            ],
        };
    }

    private static BlameReport MaskedInterrupts() => Report(
        "masked", Verdict.Driver,
        "The driver vidcard.sys is likely to blame: CPU 1 served no interrupt for up to 27.4 ms, and the code at both edges is its own.",
        0,
        [
            Blame(
                CulpritKind.Driver, "vidcard.sys", Mechanism.Blackout, 1, 52_110, 2, 27_400, Proof.Edges, Confidence.Likely,
                "the last sample before and the resume point after each of the 2 blackouts lie in vidcard.sys, which 3 % of all samples "
                    + "hit",
                "CPU 0 went on taking samples meanwhile"),
        ],
        [
            Episode(0, ProbeKind.Gap, 3_000_111, 24_710, 1, null, [Cause("vidcard.sys", Mechanism.Blackout, 24_710, "vidcard.sys+0x22c0")]),
            Episode(1, ProbeKind.Gap, 9_120_400, 27_400, 1, null, [Cause("vidcard.sys", Mechanism.Blackout, 27_400, "vidcard.sys+0x22c0")]),
        ]);

    private static BlameReport Hardware() => Report(
        "hardware", Verdict.Hardware,
        "Hardware or firmware is likely to blame: all CPUs stopped at the same moments, 5 times, for up to 1.9 ms, at ever different code.",
        812,
        [
            Blame(
                CulpritKind.Hardware, CulpritName.HardwareOrFirmware, Mechanism.Blackout, 0.94, 8_930, 5, 1_900, Proof.Edges,
                Confidence.Likely,
                "both CPUs were due a sample and took none during each of the 5 blackouts",
                "the code at their edges lay in 5 different modules"),
        ],
        [
            .. Enumerable.Range(0, 5).Select(i => Episode(
                i, ProbeKind.Wakeup, 2_000_000 + (i * 7_000_000), 1_700 + (i * 50), i % 2, Audio with { Process = null, Pid = null },
                [Cause(CulpritName.HardwareOrFirmware, Mechanism.Blackout, 1_590 + (i * 50))]) with
                {
                    Phases = new LatencyPhases { Interrupt = Us(1_602 + (i * 50)), Dpc = Us(8.5m), Thread = null },
                }),
        ]);

    private static BlameReport Process() => Report(
        "process", Verdict.Process,
        "The process render.exe is to blame: its threads of priority 31 kept others from running for up to 310 ms.",
        5_120,
        [
            Blame(
                CulpritKind.Process, "render.exe", Mechanism.Thread, 0.999_6, 309_900, 1, 309_900, Proof.Switch, Confidence.Certain,
                "thread 4711 of process 900, priority 31, was switched in at 12.000020 s and out at 12.309920 s"),
        ],
        [
            Episode(
                0, ProbeKind.Thread, 12_000_020, 310_024, 0, Audio, [Cause("render.exe", Mechanism.Thread, 309_900, null)],
                Hit("render.exe", null, 310)),
        ]);

    private static BlameReport None() => Report(
        "none", Verdict.None, "", 2_403, [], []) with
    {
        Summary = new BlameSummary
        {
            Verdict = Verdict.None,
            Culprit = null,
            Conclusion = "Nobody is to blame: no latency of 500 us or more in 2,403 wake-ups; the longest was 104 us.",
            Probes = 2_403,
            Episodes = 0,
            Worst = Us(104),
            OverThreshold = Duration.Zero,
        },
        Drivers = [new DriverActivity { Name = "e1x64.sys", Isr = null, Dpc = Times(12_030, 171_240, 41, 38), QueueDelayMax = Us(12) }],
    };

    private static BlameReport Unknown() => Report(
        "unknown", Verdict.Unknown,
        "This trace cannot tell who is to blame for latency: it has no ISR or DPC records and no threads made ready.", 0, [], [],
        "to name a driver, record DPC, INTERRUPT and LOADER; to measure the latency of threads, CSWITCH and DISPATCHER") with
    {
        Trace = Trace("unknown.etl", Everything(wdf: false) with { IsrDpc = false, ReadyThread = false }),
        Profile = new TraceProfile
        {
            Samples = 3_998,
            Functions =
            [
                Hit("ntoskrnl.exe", "KeZeroPages", 1_804), Hit("chrome.dll", "+0x12f40", 1_201), Hit("win32kfull.sys", null, 992),
                Hit(null, null, 1),
            ],
            Switches = 41_203,
            Processes =
            [
                new ProcessRunTime("chrome.exe", Us(12_400_120), 20_400),
                new ProcessRunTime("System", Us(840_212.5m), 12_020),
                new ProcessRunTime("4120", Us(0.5m), 1),
            ],
        },
    };

    private static BlameReport OwnerUnknown() => Report(
        "ownerless", Verdict.Unknown,
        "This trace cannot tell who is to blame: a DPC of Wdf01000.sys took 2.1 ms, and nothing shows which of its 3 clients ran in it.",
        1_000, [],
        [
            Episode(
                0, ProbeKind.Level, -1_200, 2_140, 3, null,
                [
                    Cause(null, Mechanism.Dpc, 2_100, "Wdf01000.sys!FxInterrupt::_InterruptDpcThunk"),
                    Cause(null, Mechanism.IdleExit, 20),
                    Cause(null, Mechanism.SpinWait, 10.125m, "ntoskrnl.exe!KeAcquireSpinLockRaiseToDpc"),
                ],
                Hit(null, null, 2)),
        ],
        "candidates behind Wdf01000.sys: usbxhci.sys, i2cdrv.sys, cam.sys; record WDF_DPC and WDF_INTERRUPT, or stacks on PROFILE",
        "12 buffers were lost while recording: what is between them is not known") with
    {
        Trace = Trace("ownerless.etl", Everything(wdf: false)) with
        {
            EventsLost = 1_024,
            BuffersLost = 12,
            DamagedBuffers = 2,
            Truncated = true,
        },
    };

    private static BlameReport Thousand() => Report(
        "thousand", Verdict.Driver, "The driver x.sys is to blame: its DPCs took 600 us or more, 1,000 times.", 100_000,
        [
            Blame(
                CulpritKind.Driver, "x.sys", Mechanism.Dpc, 0.96, 1_078_800, 1_000, 1_575, Proof.Routine, Confidence.Certain,
                "1,000 DPCs of its own"),
        ],
        [
            .. Enumerable.Range(0, 1_000).Select(i => Episode(
                i, ProbeKind.Thread, i * 10_000, 600 + i, i % 4, Audio, [Cause("x.sys", Mechanism.Dpc, 580 + i, "x.sys+0x1000")])),
        ]) with
    {
        Groups =
            [
                Group(1, 900, 900_000, 1_599, 999, "dpc x.sys") with { Frames = ["x.sys+0x1000", "x.sys+0x1040"] },
                Group(2, 90, 150_000, 1_000, 400, "dpc x.sys", "thread renderer.exe"),
                Group(3, 10, 9_000, 700, 12) with { Chains = 4 },
            ],
    };

    private static BlameReport WithSuspect() => DriverBehindFramework() with
    {
        Suspect = new SuspectCase
        {
            Name = "tcpip.sys",
            Found = true,
            Kind = CulpritKind.Driver,
            Verdict = SuspectVerdict.Innocent,
            SpeaksFor = ["Its code stands at the edges of 1 of 2 blackouts: far more often than samples hit it."],
            SpeaksAgainst =
            [
                "It has no part in any of the 8 episodes.",
                "Its longest ISR or DPC took 88 us, below the threshold of 500 us, at 1.264 s on CPU 0; a measured thread waited 14.2 us "
                    + "for that CPU meanwhile.",
            ],
            Facts = ["80,655 DPCs, 1.21 s in all, the longest 88 us, 99 % of them at most 41.2 us."],
            Lacks = ["DPC_QUEUE would show how long its DPCs stood in the queue, and which others waited behind them."],
        },
    };

    private static BlameReport WithoutSuspect() => None() with
    {
        Suspect = new SuspectCase
        {
            Name = "tpcip",
            Found = false,
            Kind = null,
            Verdict = SuspectVerdict.Unknown,
            SpeaksFor = [],
            SpeaksAgainst = [],
            Facts = [],
            Lacks = [],
            Nearest = ["tcpip.sys", "pci.sys"],
        },
    };

    /// <summary>Whatever may be null is null, whatever may be empty is empty.</summary>
    private static BlameReport Bare() => Report(
        "bare", Verdict.Driver, "x.sys", 0,
        [Blame(CulpritKind.Driver, "x.sys", Mechanism.Unexplained, 0, 0, 0, 0, Proof.None, Confidence.Possible)],
        [
            Episode(0, ProbeKind.Gap, 0, 700, null, null, []),
            Episode(1, ProbeKind.Thread, 0, 700, 0, new VictimThread { Pid = null, Tid = 0, Process = null, Priority = null }, []),
        ]) with
    {
        Trace = Trace("bare.etl", Everything()) with
        {
            StartUtc = null,
            Duration = null,
            Cpus = null,
            OsBuild = null,
            Clock = null,
            Machine = new MachineSummary(),
            SampleInterval = null,
        },
        Drivers = [new DriverActivity { Name = "x.sys", Isr = null, Dpc = null, QueueDelayMax = null }],
        Profile = new TraceProfile { Samples = 0, Functions = [], Switches = null, Processes = [] },
    };
}
