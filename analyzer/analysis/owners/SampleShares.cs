using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>
/// How often each kernel module was on a CPU when a sample was taken: by the sampled instruction or, if that is in the kernel or a library,
/// by the first caller outside them. A module that chance puts at the edge of a blackout is found there about as often. Also counted apart
/// for each CPU, each process that called it and each piece of its code: one that is used everywhere may be rare in one of these.
/// </summary>
internal sealed class SampleShares(ModuleMap modules, ThreadTable threads)
{
    /// <summary>
    /// Most places that are told apart; memory stays bounded. Samples in further ones count for their module only.
    /// </summary>
    private const int MostPlaces = 200_000;

    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly Dictionary<int, long> _hits = [];
    private readonly Dictionary<CodePlace, long> _places = [];
    private readonly Dictionary<int, long> _busy = [];
    private readonly int[] _kinds = new int[Enum.GetValues<PlaceKind>().Length];

    /// <summary>Number of samples that did not hit an idle thread.</summary>
    public long Busy { get; private set; }

    /// <summary>How many of the busy samples belong to a module.</summary>
    public long Of(LoadedImage image) => _hits.GetValueOrDefault(image.Number);

    /// <summary>How many of the busy samples belong to a place of a module.</summary>
    public long Of(in CodePlace place) => _places.GetValueOrDefault(place);

    /// <summary>How many busy samples a place is a part of: those of its CPU, or all.</summary>
    public long BusyOf(in CodePlace place) => place.Kind == PlaceKind.Cpu ? _busy.GetValueOrDefault((int)place.Value) : Busy;

    /// <summary>How many places of a kind have a sample.</summary>
    public int Places(PlaceKind kind) => _kinds[(int)kind];

    /// <summary>The process that code of a thread runs for; null where that is not known, and for the system's own threads.</summary>
    public uint? CallerOf(uint threadId, long ticks) =>
        threads.ProcessOf(threadId, ticks) is { } process and not (ThreadTable.IdleProcess or ThreadTable.SystemProcess) ? process : null;

    /// <summary>Adds a sample that is already in the CPU's history.</summary>
    /// <param name="isAtLevel">Whether an ISR or DPC ran, so that the thread has nothing to do with it.</param>
    public void Add(CpuHistory cpu, in CpuSample sample, bool isAtLevel = false)
    {
        if (sample.IsIdle)
        {
            return;
        }

        Busy++;
        CollectionsMarshal.GetValueRefOrAddDefault(_busy, cpu.Cpu, out _)++;
        if (!modules.Images.IsKernelAddress(sample.Instruction))
        {
            return;
        }

        LoadedImage? image = modules.Find(sample.Instruction, sample.Ticks);
        ulong address = sample.Instruction;
        if (image is null || modules.RoleOf(image) is ModuleRole.Kernel or ModuleRole.Library)
        {
            ReadOnlySpan<ulong> frames = cpu.FramesOf(in sample, _frames);
            if (modules.WorkedFor(frames, sample.Ticks, out int count) is { } worker)
            {
                image = worker;
                address = frames[Math.Max(0, count - 1)];
            }
        }

        if (image is not null)
        {
            CollectionsMarshal.GetValueRefOrAddDefault(_hits, image.Number, out _)++;
            uint? caller = isAtLevel ? null : CallerOf(sample.ThreadId, sample.Ticks);
            Span<CodePlace> places = stackalloc CodePlace[CodePlace.Most];
            foreach (ref readonly CodePlace place in places[..CodePlace.Of(image.Number, cpu.Cpu, caller, address, places)])
            {
                Add(in place);
            }
        }
    }

    private void Add(in CodePlace place)
    {
        if (_places.Count < MostPlaces || _places.ContainsKey(place))
        {
            ref long count = ref CollectionsMarshal.GetValueRefOrAddDefault(_places, place, out bool isKnown);
            count++;
            _kinds[(int)place.Kind] += isKnown ? 0 : 1;
        }
    }
}

/// <summary>What tells the places of one module apart.</summary>
internal enum PlaceKind : byte
{
    /// <summary>The CPU that the code ran on.</summary>
    Cpu,

    /// <summary>The process whose thread called it.</summary>
    Caller,

    /// <summary>The piece of code, as long as a function is.</summary>
    Code,
}

/// <summary>A place of a module: its code on one CPU, for one process, or one piece of it.</summary>
/// <param name="Value">The CPU, the process id, or the number of the piece.</param>
internal readonly record struct CodePlace(int Image, PlaceKind Kind, ulong Value)
{
    /// <summary>Most places of one sample.</summary>
    public const int Most = 4;

    /// <summary>
    /// Bytes of a piece of code, as a power of two: 1 KiB, which holds a usual function. Each address lies in two pieces that overlap by
    /// half, so that a function that reaches from one piece into the next lies in another one.
    /// </summary>
    private const int PieceShift = 10;

    /// <param name="caller">The process that the code ran for; null where there is none.</param>
    /// <param name="places">Takes them; at least <see cref="Most"/>.</param>
    /// <returns>Their number.</returns>
    public static int Of(int image, int cpu, uint? caller, ulong address, Span<CodePlace> places)
    {
        places[0] = new CodePlace(image, PlaceKind.Cpu, (ulong)cpu);
        places[1] = new CodePlace(image, PlaceKind.Code, address >> PieceShift << 1);
        places[2] = new CodePlace(image, PlaceKind.Code, ((address + (1UL << (PieceShift - 1))) >> PieceShift << 1) | 1);
        if (caller is not { } process)
        {
            return Most - 1;
        }

        places[3] = new CodePlace(image, PlaceKind.Caller, process);
        return Most;
    }
}
