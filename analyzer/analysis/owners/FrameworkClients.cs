using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>
/// Learns over the whole trace which driver each routine of a framework runs for, for those runs that do not show it themselves. Evidence
/// comes from samples in other runs, and from the interrupt that queued the DPC, according to the record of its enqueue or by what ran
/// before it.
/// </summary>
internal sealed class FrameworkClients
{
    /// <summary>ISRs and DPCs that follow each other at most this far apart, in ns, are one series: nothing else ran between.</summary>
    private const long SeriesGapNanoseconds = 50_000;

    /// <summary>From the end of one of them to the start of the next it usually takes no longer than this, in ns.</summary>
    private const long DirectNanoseconds = 10_000;

    /// <summary>
    /// At least one in this many of a driver's ISRs must be followed by the DPC: ISRs of an interrupt storm, or of another device, precede
    /// every routine.
    /// </summary>
    private const int MostIsrsPerDpc = 4;

    /// <summary>Most routines and votes that are kept: a kernel has a few hundred, but a damaged trace may claim any number.</summary>
    private const int MostRoutines = 100_000;

    private readonly ModuleMap _modules;
    private readonly OwnerSearch _owners;
    private readonly DpcQueuers _queuers;
    private readonly List<OwnedStretch> _stretches = [];
    private readonly Dictionary<ulong, (int Image, ModuleRole Role)> _images = [];
    private readonly Dictionary<(RunTraits Run, int Image), int> _votes = [];
    private readonly Dictionary<(ulong Routine, int Image), int> _afterIsr = [];
    private readonly Dictionary<ulong, int> _afterIsrRuns = [];
    private readonly Dictionary<ulong, (int Image, int Runs)> _isrs = [];
    private readonly Dictionary<(ulong Routine, int Image), Example> _examples = [];
    private ILookup<ulong, (RunTraits Run, int Image, int Samples)>? _votesOf;

    /// <summary>Creates an empty record.</summary>
    public FrameworkClients(ModuleMap modules, OwnerSearch owners, long ticksPerSecond)
    {
        _modules = modules;
        _owners = owners;
        long Ticks(long nanoseconds) => Math.Max(1, TickRate.TicksOf(nanoseconds, ticksPerSecond));
        _queuers = new DpcQueuers(span => ImageOf(in span), Ticks(SeriesGapNanoseconds), Ticks(DirectNanoseconds));
    }

    /// <summary>Adds an ISR or DPC, the newest in the CPU's history.</summary>
    /// <param name="span">The ISR or DPC.</param>
    /// <returns>The client that it ran for; of several callbacks in it, the one with the most time.</returns>
    public RunClient Took(CpuHistory cpu, in LevelSpan span, out ModuleRole role)
    {
        (_, role) = ImageOf(in span);
        bool isSampled = cpu.Samples.Count > 0 && cpu.Samples[cpu.Samples.Next - 1].Ticks >= span.StartTicks;
        long number = cpu.Spans.Next - 1;
        QueueLine line = default;
        if (span.IsIsr)
        {
            _queuers.Interrupted(cpu, number);
        }
        else
        {
            line = _queuers.QueuerOf(cpu, number);
            cpu.SetLine(number, line);
        }

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

        return isSampled && _owners.OfSpan(cpu, in span) is
            {
                SamplesAsked: > 0, TiedWith.Count: 0, Proof: Contract.Proof.Stack or Contract.Proof.Sample, Owner: { } client,
            }
            ? RunClient.NotSeen with { Image = client.Number }
            : RunClient.NotSeen with { Line = line };
    }

    /// <summary>Whether the runs of a module vote, and are told apart by what queued them.</summary>
    public static bool IsShared(ModuleRole role) => role is ModuleRole.Framework or ModuleRole.Layer;

    /// <summary>What queued a DPC of a framework that has run, by the record of its enqueue.</summary>
    /// <param name="number">The DPC's number in the CPU's history.</param>
    /// <param name="queuer">The history of the CPU that enqueued it; null where there is none.</param>
    public static QueueLine QueuerOf(CpuHistory cpu, long number, in QueuedDpc queued, CpuHistory? queuer)
    {
        long before = queuer == cpu ? number : long.MaxValue;
        QueueLine by = queuer is null ? default : IsrAround(queuer, queued.Ticks, before, cpu.Spans[number].EndTicks);
        return by with { Dpc = queued.Key };
    }

    /// <summary>Adds what queued a DPC of a framework that has run, and what its samples show.</summary>
    /// <param name="number">The DPC's number in the CPU's history.</param>
    /// <param name="isRecorded">Whether its enqueue was recorded.</param>
    public void Queued(CpuHistory cpu, long number, bool isRecorded)
    {
        LevelSpan span = cpu.Spans[number];
        QueueLine line = cpu.LineOf(in span);
        if (line.IsKnown || isRecorded)
        {
            Count(_afterIsrRuns, span.Routine);
        }

        if (ImageOf(line.Isr, span.EndTicks) is ( >= 0 and int isr, ModuleRole.Driver))
        {
            Count(_afterIsr, (span.Routine, isr));
        }

        Vote(cpu, in span);
    }

    /// <summary>Counts the samples in a run of a framework's routine for those whom they show.</summary>
    public void Vote(CpuHistory cpu, in LevelSpan span)
    {
        long sample = cpu.FirstSampleFrom(span.StartTicks);
        if (sample == cpu.Samples.Next || cpu.Samples[sample].Ticks > span.EndTicks)
        {
            return;
        }

        _owners.AddStretches(cpu, in span, _stretches);
        foreach (OwnedStretch stretch in _stretches)
        {
            if (stretch.Voted == 0 || stretch.Owner is { SamplesAsked: 0 } or { Carrier: not null })
            {
                continue;
            }

            RunTraits run = RunTraits.Of(stretch.Voted, cpu, in span);
            int own = stretch.Owner.Owner is null ? 0 : stretch.Owner.Samples;
            if (own > 0)
            {
                Count(_votes, (run, stretch.Owner.Owner!.Number), own);
                AddExample((stretch.Voted, stretch.Owner.Owner!.Number), new Example(span.EndTicks, stretch.Owner));
            }

            if (stretch.Owner.SamplesAsked > own)
            {
                Count(_votes, (run, -1), stretch.Owner.SamplesAsked - own);
            }
        }
    }

    private static QueueLine IsrAround(CpuHistory cpu, long ticks, long before, long knownTicks)
    {
        for (long number = cpu.FirstEndingFrom(ticks); number >= 0 && number < before; number = cpu.OuterOf(number))
        {
            LevelSpan span = cpu.Spans[number];
            if (span.EndTicks > knownTicks)
            {
                break; // Not read yet, had the reading been cut there.
            }

            if (span is { IsIsr: true, IsProfile: false } && span.StartTicks <= ticks)
            {
                return cpu.LineOf(in span);
            }
        }

        return default;
    }

    private void CountIsr(in LevelSpan span)
    {
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

    /// <summary>How the samples in other runs of a routine vote on a run in which nothing was seen; null where there are too few.</summary>
    /// <param name="votes">How many votes were counted.</param>
    public Ballot? BallotOn(RunTraits run, out int votes)
    {
        _votesOf ??= _votes.ToLookup(vote => vote.Key.Run.Routine, vote => (vote.Key.Run, vote.Key.Image, vote.Value));
        votes = _votesOf[run.Routine].Count();
        return Ballot.Decide(_votesOf[run.Routine], run);
    }

    /// <summary>What a run of a routine showed that votes for an image.</summary>
    public OwnerFinding ExampleOf(ulong routine, int image) => _examples[(routine, image)].Finding;

    /// <summary>
    /// The driver whose ISR nearly always queues a DPC routine, or precedes it, and seldom occurs without it; null where there is none.
    /// </summary>
    public LoadedImage? ByIsr(ulong routine)
    {
        int all = _afterIsrRuns.GetValueOrDefault(routine);
        foreach (((ulong queued, int image), int runs) in _afterIsr)
        {
            if (queued == routine && Ballot.IsNearlyAll(runs, all) && IsQueuer(routine, image))
            {
                return _modules.Images.Images[image];
            }
        }

        return null;
    }

    /// <summary>The driver whose ISR queued one run of a DPC routine, as it did others; null where that is not known.</summary>
    public LoadedImage? ByIsr(RunTraits run) =>
        _isrs.TryGetValue(run.Line.Isr, out (int Image, int Runs) isr) && IsQueuer(run.Routine, isr.Image)
            ? _modules.Images.Images[isr.Image]
            : null;

    private bool IsQueuer(ulong routine, int image) => _afterIsr.GetValueOrDefault((routine, image)) is var runs
        && runs >= Ballot.FewestSamples && (long)MostIsrsPerDpc * runs >= IsrsOf(image);

    private long IsrsOf(int image)
    {
        long runs = 0;
        foreach ((int owner, int count) in _isrs.Values)
        {
            runs += owner == image ? count : 0;
        }

        return runs;
    }

    private static void Count<TKey>(Dictionary<TKey, int> counts, TKey key, int by = 1)
        where TKey : notnull
    {
        if (counts.Count < MostRoutines || counts.ContainsKey(key))
        {
            CollectionsMarshal.GetValueRefOrAddDefault(counts, key, out _) += by;
        }
    }

    /// <summary>Adds what the runs of other CPUs showed; of examples the first by time counts.</summary>
    public void Add(FrameworkClients others)
    {
        Add(_votes, others._votes);
        Add(_afterIsr, others._afterIsr);
        Add(_afterIsrRuns, others._afterIsrRuns);
        foreach (((ulong Routine, int Image) key, Example example) in others._examples)
        {
            AddExample(key, example);
        }

        foreach ((ulong routine, (int image, int runs)) in others._isrs)
        {
            _isrs[routine] = _isrs.TryGetValue(routine, out (int Image, int Runs) known) ? (known.Image, known.Runs + runs) : (image, runs);
        }
    }

    private void AddExample((ulong Routine, int Image) key, Example example)
    {
        if (!_examples.TryGetValue(key, out Example known) || example.Ticks < known.Ticks)
        {
            _examples[key] = example;
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

    public ModuleRole RoleOf(in LevelSpan span) => ImageOf(in span).Role;

    /// <summary>The number of the image that a routine lies in, -1 for none, and its role.</summary>
    private (int Image, ModuleRole Role) ImageOf(in LevelSpan span) => ImageOf(span.Routine, span.EndTicks);

    private (int Image, ModuleRole Role) ImageOf(ulong routine, long ticks)
    {
        if (!_images.TryGetValue(routine, out (int Image, ModuleRole Role) known))
        {
            known = _modules.Find(routine, ticks) is { } image
                ? (image.Number, _modules.RoleOf(image))
                : (-1, ModuleRole.Driver);
            if (_images.Count < MostRoutines)
            {
                _images.Add(routine, known);
            }
        }

        return known;
    }

    /// <param name="Ticks">When the run ended, in ticks.</param>
    private readonly record struct Example(long Ticks, OwnerFinding Finding);
}
