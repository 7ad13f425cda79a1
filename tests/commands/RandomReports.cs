using Tracer.Analysis.Causes;
using Tracer.Analysis.Report;

namespace Tracer.Commands.Tests;

/// <summary>Reports of any shape: long and odd names, nulls, no lists or long ones, extreme times that still add up.</summary>
internal sealed class RandomReports(int seed)
{
    private static readonly string[] Names =
    [
        "", "a.sys", "e1x64.sys", new string('n', 300) + ".sys", "a b c d e f g h i j k l m n o p q r s t u v w x y z.sys", "名前.sys",
        "\u001b[31m.sys", "line\nfeed", "\ud800.sys", "e\u0301.sys", "😀😀😀.sys", "\u202etxt.sys", "=1+1", "a,\"b\"", "\t", "-",
        "C:\\" + string.Join('\\', Enumerable.Repeat("folder", 30)),
    ];

    private readonly Random _random = new(seed);

    public BlameResult Make()
    {
        Episode[] episodes = [.. Enumerable.Range(0, Next(12)).Select(Episode)];
        BlameReport like = BlameSamples.All["driver"];
        BlameReport report = like with
        {
            Trace = like.Trace with
            {
                Path = Name(),
                StartUtc = Maybe(new DateTime(Next(int.MaxValue), DateTimeKind.Utc)),
                Duration = Time(),
                Cpus = Maybe(Next(5000)),
                EventsLost = Next(int.MaxValue),
                BuffersLost = Next(3),
                DamagedBuffers = Next(3),
                Truncated = Coin(),
                Machine = new MachineSummary { Cpu = Coin() ? Name() : null, MemoryMb = Maybe(Next(int.MaxValue)), Hypervisor = Coin() },
                Has = like.Trace.Has with { IsrDpc = Coin(), Wdf = Coin(), Stacks = Coin() },
                SampleInterval = Maybe(Time()),
            },
            Settings = new BlameSettings { Threshold = Time(), Probe = Any<ProbeChoice>(), MinPriority = Next(32) },
            Summary = new BlameSummary
            {
                Verdict = Any<Verdict>(),
                Culprit = Coin() ? Name() : null,
                Conclusion = Name(),
                Probes = Next(int.MaxValue),
                Episodes = episodes.Length,
                Worst = Maybe(Time()),
                OverThreshold = Time(),
            },
            Culprits = [.. Enumerable.Range(1, Next(15)).Select(Culprit)],
            Cleared = [.. Enumerable.Range(0, Next(15)).Select(_ => new ClearedName(Name(), Name()))],
            Episodes = episodes,
            Drivers = [.. Enumerable.Range(0, Next(15)).Select(_ => new DriverActivity
            {
                Name = Name(), Isr = Coin() ? Routine() : null, Dpc = Coin() ? Routine() : null, QueueDelayMax = Maybe(Time()),
            })],
            Profile = Coin() ? null : new TraceProfile
            {
                Samples = Next(int.MaxValue),
                Functions = Functions(),
                Switches = Maybe((long)Next(int.MaxValue)),
                Processes = [.. Enumerable.Range(0, Next(5)).Select(_ => new ProcessRunTime(Name(), Time(), Next(int.MaxValue)))],
            },
            Groups = Coin() ? null : [.. Enumerable.Range(1, Next(7)).Select(Group)],
            Suspect = Coin() ? null : Suspect(),
            Warnings = [.. Enumerable.Range(0, Next(5)).Select(_ => Name())],
        };
        return new BlameResult(report, [.. episodes.Where(_ => Coin()).Select(Strips)]);
    }

    private int Next(int below) => _random.Next(below);

    private bool Coin() => Next(2) == 0;

    private T? Maybe<T>(T value)
        where T : struct => Coin() ? value : null;

    private TEnum Any<TEnum>()
        where TEnum : struct, Enum => Enum.GetValues<TEnum>()[Next(Enum.GetValues<TEnum>().Length)];

    private string Name() => Names[Next(Names.Length)];

    /// <summary>Short or long, never so long that a dozen of them do not add up.</summary>
    private Duration Time() => new(_random.NextInt64(1L << (1 + Next(58))));

    private RoutineTimes Routine() => new() { Count = _random.NextInt64(), Total = Time(), Max = Time(), P99 = Time() };

    private SampledFunction[] Functions() => [.. Enumerable.Range(0, Next(6)).Select(_ => new SampledFunction
    {
        Module = Coin() ? Name() : null, Function = Coin() ? Name() : null, Count = Next(int.MaxValue),
    })];

    private EpisodeGroup Group(int rank) => new()
    {
        Rank = rank,
        Episodes = Next(int.MaxValue),
        Latency = Time(),
        Worst = Time(),
        Chain = [.. Enumerable.Range(0, Next(4)).Select(_ => Name())],
        Frames = [.. Enumerable.Range(0, Next(5)).Select(_ => Name())],
        ExampleId = Next(int.MaxValue),
        Chains = Maybe(Next(99)),
    };

    private SuspectCase Suspect() => new()
    {
        Name = Name(),
        Found = Coin(),
        Kind = Maybe(Any<CulpritKind>()),
        Verdict = Any<SuspectVerdict>(),
        SpeaksFor = [.. Enumerable.Range(0, Next(5)).Select(_ => Name())],
        SpeaksAgainst = [.. Enumerable.Range(0, Next(5)).Select(_ => Name())],
        Facts = [.. Enumerable.Range(0, Next(5)).Select(_ => Name())],
        Lacks = [.. Enumerable.Range(0, Next(5)).Select(_ => Name())],
        Nearest = [.. Enumerable.Range(0, Next(4)).Select(_ => Name())],
    };

    private Culprit Culprit(int rank) => new()
    {
        Rank = rank,
        Kind = Any<CulpritKind>(),
        Name = Name(),
        Mechanism = Any<Mechanism>(),
        Share = Next(4) switch { 0 => 0, 1 => 1e-9, 2 => double.NaN, _ => _random.NextDouble() * 2 },
        Blamed = Time(),
        Episodes = Next(int.MaxValue),
        Worst = Time(),
        Confidence = Any<Confidence>(),
        Proof = Any<Proof>(),
        Through = [.. Enumerable.Range(0, Next(3)).Select(_ => Name())],
        Functions = [.. Enumerable.Range(0, Next(8)).Select(_ => new FunctionTime
        {
            Name = Name(), Time = Maybe(Time()), Samples = Next(9),
        })],
        Period = Coin() ? null : new Period { Seconds = _random.NextDouble() * 1e9, JitterMs = _random.NextDouble(), Coverage = 0.5 },
        Without = Coin() ? null : new WithoutCulprit { Episodes = Next(9), Worst = Maybe(Time()) },
        Image = Coin() ? null : new ImageDescription { Path = Name(), Version = Coin() ? Name() : null, Company = Coin() ? Name() : null },
        Device = Coin() ? Name() : null,
        Evidence = [.. Enumerable.Range(0, Next(4)).Select(_ => Name())],
    };

    private Episode Episode(int id)
    {
        Cause[] causes = [.. Enumerable.Range(0, Next(9)).Select(_ => new Cause
        {
            Culprit = Coin() ? Name() : null, Mechanism = Any<Mechanism>(), Time = Time(), Routine = Coin() ? Name() : null,
        })];
        Duration rest = Coin() ? Duration.Zero : Time();
        return new Episode
        {
            Id = id,
            Probe = Any<ProbeKind>(),
            Start = Duration.Zero - Time(),
            Latency = causes.Aggregate(rest, (sum, cause) => sum + cause.Time),
            Cpu = Maybe(Next(70_000)),
            Thread = Coin() ? null : new VictimThread
            {
                Pid = Maybe(_random.NextInt64()),
                Tid = _random.NextInt64(),
                Process = Coin() ? Name() : null,
                Priority = Maybe(Next(32)),
            },
            Phases = Coin() ? null : new LatencyPhases { Interrupt = Maybe(Time()), Dpc = Maybe(Time()), Thread = Maybe(Time()) },
            Causes = causes,
            Samples = new EpisodeSamples { Total = Next(int.MaxValue), Functions = Functions() },
        };
    }

    private EpisodeStrips Strips(Episode episode) => new(
        episode.Id,
        [.. Enumerable.Range(0, Next(20)).Select(cpu => new CpuStrip(
            cpu * 999,
            [.. Enumerable.Range(0, Next(9)).Select(_ => new StripSpan(Time(), Time(), Any<StripKind>(), Name()))]))]);
}
