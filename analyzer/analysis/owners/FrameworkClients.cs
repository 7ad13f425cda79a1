using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>
/// Learns over the whole trace which driver each routine of a framework runs for, for those runs that do not show it themselves. Evidence
/// comes from samples in other runs, and from the ISR of a driver that queued the DPC, according to the record of its enqueue or because
/// the ISR came just before it.
/// </summary>
internal sealed class FrameworkClients
{
    /// <summary>A DPC that starts at most this long after an ISR, in ns, was most likely queued by it.</summary>
    private const long QueuedByIsrNanoseconds = 50_000;

    /// <summary>
    /// At least one in this many of a driver's ISRs must be followed by the DPC: ISRs of an interrupt storm, or of another device, precede
    /// every routine.
    /// </summary>
    private const int MostIsrsPerDpc = 4;

    /// <summary>Fewer sampled runs say nothing about those without a sample.</summary>
    private const int FewestRuns = 3;

    private readonly ModuleMap _modules;
    private readonly OwnerSearch _owners;
    private readonly long _queuedByIsrTicks;
    private readonly Dictionary<ulong, ModuleRole> _routineRoles = [];
    private readonly Dictionary<(ulong Routine, int Image), int> _sampled = [];
    private readonly Dictionary<ulong, int> _sampledRuns = [];
    private readonly Dictionary<(ulong Routine, int Image), int> _called = [];
    private readonly Dictionary<ulong, int> _calledRuns = [];
    private readonly Dictionary<(ulong Routine, int Image), Example> _calledExamples = [];
    private readonly Dictionary<(ulong Routine, int Image), int> _afterIsr = [];
    private readonly Dictionary<ulong, int> _afterIsrRuns = [];
    private readonly Dictionary<ulong, (int Image, int Runs)> _isrs = [];
    private readonly Dictionary<(ulong Routine, int Image), Example> _examples = [];

    /// <summary>Creates an empty record.</summary>
    public FrameworkClients(ModuleMap modules, OwnerSearch owners, long ticksPerSecond)
    {
        _modules = modules;
        _owners = owners;
        _queuedByIsrTicks = Math.Max(1, TickRate.TicksOf(QueuedByIsrNanoseconds, ticksPerSecond));
    }

    /// <summary>Adds an ISR or DPC that is already in the CPU's history.</summary>
    /// <param name="span">The ISR or DPC.</param>
    /// <returns>The client that it ran for; of several callbacks in it, the one with the most time.</returns>
    public RunClient Took(CpuHistory cpu, in LevelSpan span, out ModuleRole role)
    {
        role = RoleOf(in span);
        bool isSampled = cpu.Samples.Count > 0 && cpu.Samples[cpu.Samples.Next - 1].Ticks >= span.StartTicks;
        if (role is ModuleRole.Driver or ModuleRole.Firmware)
        {
            if (span.IsIsr)
            {
                CountIsr(in span);
            }

            return isSampled && _owners.OfSpan(cpu, in span) is { Proof: Contract.Proof.Stack, Owner: { } other }
                ? RunClient.NotSeen with { Image = other.Number }
                : RunClient.NotSeen;
        }

        ulong callback = OwnerSearch.LongestCallback(cpu, in span);
        if (callback != 0 || role == ModuleRole.Kernel)
        {
            return RunClient.NotSeen with { Callback = callback };
        }

        RunClient client = RunClient.NotSeen;
        if (isSampled)
        {
            OwnerFinding found = _owners.OfSpan(cpu, in span);
            if (found.Client is { } called)
            {
                Count(_calledRuns, span.Routine);
                Count(_called, (span.Routine, called.Image.Number));
                OwnerFinding ofCalled = found with
                {
                    Owner = called.Image,
                    Behind = null,
                    Proof = Contract.Proof.Stack,
                    Through = _modules.Find(span.Routine, span.EndTicks) is { } image ? [image] : [],
                    Routine = called.Address,
                };
                _calledExamples.TryAdd((span.Routine, called.Image.Number), new Example(span.EndTicks, ofCalled));
            }

            // A run that shows several clients equally often is no evidence about other runs.
            if (found is { SamplesAsked: > 0, TiedWith.Count: 0 })
            {
                Count(_sampledRuns, span.Routine);
                if (found.Proof is Contract.Proof.Stack or Contract.Proof.Sample)
                {
                    Count(_sampled, (span.Routine, found.Owner!.Number));
                    _examples.TryAdd((span.Routine, found.Owner!.Number), new Example(span.EndTicks, found));
                    client = client with { Image = found.Owner!.Number };
                }
            }
        }

        return client;
    }

    /// <summary>Adds who queued a DPC of a framework that has run.</summary>
    /// <param name="number">The DPC's number in the CPU's history.</param>
    /// <param name="recorded">Its enqueue; null where that was not recorded.</param>
    public void TakeQueuer(CpuHistory cpu, long number, QueuedDpc? recorded)
    {
        LevelSpan span = cpu.Spans[number];
        LevelSpan? queuer = recorded is { } queued
            ? queued.Cpu == cpu.Cpu ? IsrAround(cpu, queued.Ticks, number) : null
            : IsrBefore(cpu, number);
        LoadedImage? owner = queuer is { } isr ? _modules.Find(isr.Routine, isr.EndTicks) : null;
        bool isDrivers = owner is not null && _modules.RoleOf(owner) == ModuleRole.Driver;
        if (isDrivers || recorded is not null)
        {
            Count(_afterIsrRuns, span.Routine);
        }

        if (isDrivers)
        {
            Count(_afterIsr, (span.Routine, owner!.Number));
        }
    }

    private static LevelSpan? IsrAround(CpuHistory cpu, long ticks, long before)
    {
        for (long number = cpu.FirstEndingFrom(ticks); number >= 0 && number < before; number = cpu.OuterOf(number))
        {
            LevelSpan span = cpu.Spans[number];
            if (span is { IsIsr: true, IsProfile: false } && span.StartTicks <= ticks)
            {
                return span;
            }
        }

        return null;
    }

    private void CountIsr(in LevelSpan span)
    {
        const int MostRoutines = 100_000;
        ref (int Image, int Runs) known = ref CollectionsMarshal.GetValueRefOrNullRef(_isrs, span.Routine);
        if (!Unsafe.IsNullRef(ref known))
        {
            known.Runs++;
        }
        else if (_isrs.Count < MostRoutines && _modules.Find(span.Routine, span.EndTicks) is { } image)
        {
            _isrs.Add(span.Routine, (image.Number, 1));
        }
    }

    /// <summary>
    /// The image whose code nearly all sampled runs of a routine show; otherwise the one that the framework called in nearly all of them,
    /// whatever that one called in turn. Null where runs differ or are too few.
    /// </summary>
    public OwnerFinding? BySamples(ulong routine) => Winner(_sampled, _sampledRuns, routine) is { } image
        ? _examples[(routine, image)].Finding
        : Winner(_called, _calledRuns, routine) is { } first ? _calledExamples[(routine, first)].Finding with { IsVotedDown = true } : null;

    /// <summary>
    /// The owners that the sampled runs of a routine show, each with the number of its runs, the most first; empty where fewer than three
    /// runs were sampled.
    /// </summary>
    /// <param name="runs">How many runs were sampled, those among them that show no owner included.</param>
    public List<(OwnerFinding Owner, int Runs)> VotesOf(ulong routine, out int runs)
    {
        if (!_sampledRuns.TryGetValue(routine, out runs) || runs < FewestRuns)
        {
            return [];
        }

        return
        [
            .. _sampled.Where(vote => vote.Key.Routine == routine)
                .OrderByDescending(vote => vote.Value).ThenBy(vote => vote.Key.Image)
                .Select(vote => (_examples[vote.Key].Finding, vote.Value)),
        ];
    }

    /// <summary>
    /// The driver whose ISR nearly always queues a DPC routine, or precedes it, and seldom occurs without it; null where there is none.
    /// </summary>
    public LoadedImage? ByIsr(ulong routine) =>
        Winner(_afterIsr, _afterIsrRuns, routine) is { } image && (long)MostIsrsPerDpc * _afterIsr[(routine, image)] >= IsrsOf(image)
            ? _modules.Images.Images[image]
            : null;

    private long IsrsOf(int image)
    {
        long runs = 0;
        foreach ((int owner, int count) in _isrs.Values)
        {
            runs += owner == image ? count : 0;
        }

        return runs;
    }

    private static int? Winner(Dictionary<(ulong Routine, int Image), int> votes, Dictionary<ulong, int> runs, ulong routine)
    {
        if (!runs.TryGetValue(routine, out int all) || all < FewestRuns)
        {
            return null;
        }

        foreach (((ulong voted, int image), int count) in votes)
        {
            if (voted == routine && count * 10L >= all * 9L)
            {
                return image;
            }
        }

        return null;
    }

    private static void Count<TKey>(Dictionary<TKey, int> counts, TKey key, int by = 1)
        where TKey : notnull
    {
        const int MostKeys = 100_000;
        if (counts.Count < MostKeys || counts.ContainsKey(key))
        {
            CollectionsMarshal.GetValueRefOrAddDefault(counts, key, out _) += by;
        }
    }

    private LevelSpan? IsrBefore(CpuHistory cpu, long dpc)
    {
        const int LookBack = 7;
        long startTicks = cpu.Spans[dpc].StartTicks;
        for (long number = dpc - 1; number >= Math.Max(cpu.Spans.First, dpc - LookBack); number--)
        {
            ref readonly LevelSpan before = ref cpu.Spans[number];
            if (before.IsIsr && !before.IsProfile && before.EndTicks <= startTicks
                && !cpu.IsOthersInterrupt(number, _queuedByIsrTicks))
            {
                return startTicks - before.EndTicks <= _queuedByIsrTicks ? before : null;
            }
        }

        return null;
    }

    /// <summary>Adds what the runs of other CPUs showed; of examples the first by time counts.</summary>
    public void Add(FrameworkClients others)
    {
        Add(_sampled, others._sampled);
        Add(_sampledRuns, others._sampledRuns);
        Add(_called, others._called);
        Add(_calledRuns, others._calledRuns);
        Add(_afterIsr, others._afterIsr);
        Add(_afterIsrRuns, others._afterIsrRuns);
        Add(_examples, others._examples);
        Add(_calledExamples, others._calledExamples);
        foreach ((ulong routine, (int image, int runs)) in others._isrs)
        {
            _isrs[routine] = _isrs.TryGetValue(routine, out (int Image, int Runs) known) ? (known.Image, known.Runs + runs) : (image, runs);
        }
    }

    private static void Add<TKey>(Dictionary<TKey, int> sums, Dictionary<TKey, int> others)
        where TKey : notnull
    {
        foreach ((TKey key, int count) in others)
        {
            Count(sums, key, count);
        }
    }

    private static void Add(
        Dictionary<(ulong Routine, int Image), Example> examples, Dictionary<(ulong Routine, int Image), Example> others)
    {
        foreach (((ulong Routine, int Image) key, Example example) in others)
        {
            if (!examples.TryGetValue(key, out Example known) || example.Ticks < known.Ticks)
            {
                examples[key] = example;
            }
        }
    }

    public ModuleRole RoleOf(in LevelSpan span)
    {
        const int MostRoutines = 100_000;
        if (!_routineRoles.TryGetValue(span.Routine, out ModuleRole role))
        {
            role = _modules.Find(span.Routine, span.EndTicks) is { } image ? _modules.RoleOf(image) : ModuleRole.Driver;
            if (_routineRoles.Count < MostRoutines)
            {
                _routineRoles.Add(span.Routine, role);
            }
        }

        return role;
    }

    /// <summary>What a run showed.</summary>
    /// <param name="Ticks">When the run ended, in ticks.</param>
    private readonly record struct Example(long Ticks, OwnerFinding Finding);
}
