using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>
/// Finds the owner of a system thread: the driver in whose image it started, or whose code its samples show anywhere in the trace. A thread
/// that works for several drivers, as the kernel's worker threads do, has no owner.
/// </summary>
internal sealed class ThreadOwners
{
    /// <summary>Most threads that are tracked; a damaged trace may name any number.</summary>
    private const int MostThreads = 1 << 16;

    /// <summary>Fewest samples of a thread from which an owner is derived: fewer prove nothing.</summary>
    private const int FewestSamples = 3;

    /// <summary>Of ten samples of a thread at least this many must show the same driver.</summary>
    private const int MostOfTen = 9;

    private readonly ThreadTable _threads;
    private readonly ModuleMap _modules;
    private readonly OwnerSearch _owners;
    private readonly Dictionary<(uint Thread, long FromTicks), Votes> _votes = [];

    /// <summary>Creates an empty record.</summary>
    public ThreadOwners(ThreadTable threads, ModuleMap modules, OwnerSearch owners)
    {
        _threads = threads;
        _modules = modules;
        _owners = owners;
    }

    /// <summary>Whether a sample may count, judged by its own flags: if not, what interrupted its thread does not matter.</summary>
    public bool MayCount(in CpuSample sample) => !sample.IsInDpc && !sample.IsInIsr
        && sample.ThreadId is not 0 and not CpuSample.UnknownThread && _modules.Images.IsKernelAddress(sample.Instruction);

    /// <summary>Adds a sample of a thread, taken outside ISRs and DPCs.</summary>
    public void Add(CpuHistory cpu, in CpuSample sample)
    {
        if (!MayCount(in sample) || _threads.ProcessOf(sample.ThreadId, sample.Ticks) != ThreadTable.SystemProcess)
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
            CollectionsMarshal.GetValueRefOrAddDefault(votes.ByImage, owner.Number, out _)++;
            (long, int) at = (sample.Ticks, cpu.Cpu);
            if (!votes.Examples.TryGetValue(owner.Number, out ((long, int) At, OwnerFinding) known) || at.CompareTo(known.At) < 0)
            {
                votes.Examples[owner.Number] = (at, found);
            }
        }
    }

    /// <returns>Null where nothing shows an owner; with a framework instead of an owner where the thread started in one.</returns>
    public OwnerFinding? Of(uint thread, long ticks)
    {
        ThreadLife? life = _threads.Find(thread, ticks);
        Votes? votes = _votes.GetValueOrDefault((thread, life?.FromTicks ?? long.MinValue));
        (int image, int of) = votes is { ByImage.Count: > 0 } ? votes.ByImage.MaxBy(vote => vote.Value) : default;
        if (votes is not null && of >= FewestSamples && of * 10L >= votes.Samples * (long)MostOfTen)
        {
            return votes.Examples[image].Finding with { Samples = of, SamplesAsked = votes.Samples };
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

        /// <summary>The first sample for each, by time and CPU.</summary>
        public Dictionary<int, ((long Ticks, int Cpu) At, OwnerFinding Finding)> Examples { get; } = [];
    }
}
