using System.Runtime.InteropServices;
using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Says whose a thread of the system is: the driver's in whose image it began, or whose code its samples show, anywhere in the trace. A
/// thread that works for several, as the kernel's worker threads do, is nobody's.
/// </summary>
internal sealed class ThreadOwners
{
    /// <summary>Threads that are told apart; a damaged trace may name any number.</summary>
    private const int MostThreads = 1 << 16;

    /// <summary>Fewer samples of a thread show no rule.</summary>
    private const int FewestSamples = 3;

    /// <summary>Of so many samples in ten the same driver must show.</summary>
    private const int MostOfTen = 9;

    private readonly ThreadTable _threads;
    private readonly ModuleMap _modules;
    private readonly OwnerSearch _owners;
    private readonly Dictionary<(uint Thread, long FromTicks), Votes> _votes = [];

    /// <summary>Starts with nothing.</summary>
    /// <param name="threads">The threads.</param>
    /// <param name="modules">The images.</param>
    /// <param name="owners">Finds whose code a sample hit.</param>
    public ThreadOwners(ThreadTable threads, ModuleMap modules, OwnerSearch owners)
    {
        _threads = threads;
        _modules = modules;
        _owners = owners;
    }

    /// <summary>Takes a sample of a thread, outside ISRs and DPCs.</summary>
    /// <param name="cpu">Where.</param>
    /// <param name="sample">The sample.</param>
    public void Add(CpuHistory cpu, in SampleMark sample)
    {
        if (sample.IsInDpc || sample.IsInIsr || sample.ThreadId is 0 or SampleMark.UnknownThread
            || _threads.ProcessOf(sample.ThreadId, sample.Ticks) != ThreadTable.SystemProcess
            || !_modules.Images.IsKernelAddress(sample.Instruction))
        {
            return;
        }

        var key = (sample.ThreadId, _threads.Find(sample.ThreadId, sample.Ticks)?.FromTicks ?? long.MinValue);
        if (!_votes.TryGetValue(key, out Votes? votes))
        {
            if (_votes.Count == MostThreads)
            {
                return;
            }

            _votes.Add(key, votes = new Votes());
        }

        OwnerFinding found = _owners.OfThreadSample(cpu, in sample);
        votes.Samples++;
        if (found.Owner is { } owner && _modules.RoleOf(owner) != ModuleRole.Kernel)
        {
            CollectionsMarshal.GetValueRefOrAddDefault(votes.ByImage, owner.Number, out bool isKnown)++;
            if (!isKnown)
            {
                votes.Examples.Add(owner.Number, found);
            }
        }
    }

    /// <summary>Whose a thread of the system is.</summary>
    /// <param name="thread">Its id.</param>
    /// <param name="ticks">When.</param>
    /// <returns>Null where nothing tells; with a framework instead of an owner where the thread began in one.</returns>
    public OwnerFinding? Of(uint thread, long ticks)
    {
        ThreadLife? life = _threads.Find(thread, ticks);
        Votes? votes = _votes.GetValueOrDefault((thread, life?.FromTicks ?? long.MinValue));
        (int image, int of) = votes is { ByImage.Count: > 0 } ? votes.ByImage.MaxBy(vote => vote.Value) : default;
        if (votes is not null && of >= FewestSamples && of * 10L >= votes.Samples * (long)MostOfTen)
        {
            return votes.Examples[image] with { Samples = of, SamplesAsked = votes.Samples };
        }

        if (life?.StartAddress is not { } start || _modules.Find(start, ticks) is not { } began)
        {
            return null;
        }

        return _modules.RoleOf(began) switch
        {
            ModuleRole.Kernel => null,
            ModuleRole.Framework => new OwnerFinding { Owner = null, Behind = began, Proof = Proof.None, Routine = start },
            _ => new OwnerFinding { Owner = began, Proof = Proof.Routine, Routine = start },
        };
    }

    private sealed class Votes
    {
        public int Samples { get; set; }

        public Dictionary<int, int> ByImage { get; } = [];

        public Dictionary<int, OwnerFinding> Examples { get; } = [];
    }
}
