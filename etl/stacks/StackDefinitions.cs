using System.Runtime.InteropServices;
using Tracer.Etl.Kernel;

namespace Tracer.Etl.Stacks;

/// <summary>
/// What stack keys stand for, learnt in a first reading of the trace, in any order of events: keys are used before they are defined, and
/// are used again for other stacks. Also tells whether the trace holds stacks at all. Memory is bounded.
/// </summary>
/// <remarks>
/// A key means what the first delete or rundown at or after its use says: with that rule the first frame was the sample's address for
/// all 12,699 samples of two real traces, with the last definition before for two thirds. Creates have been seen in no file: one is
/// taken to say what the key means from then on until its delete. So it counts like the others where it comes after the use, as the
/// record that brought the key into being, but gives way to another create from before the use: that one was then not deleted.
/// </remarks>
public sealed class StackDefinitions : IEtlEventSink
{
    /// <summary>Memory allowed unless another limit is given: 256 MB.</summary>
    public const long DefaultMaximumBytes = StackLimits.DefinitionBytes;

    /// <summary>What a definition takes beside its frames: its entry, and as much again for growth.</summary>
    private const int DefinitionBytes = 48;

    private const int NotFound = -1;

    private readonly long _maximumBytes;
    private readonly FrameLists _lists = new();
    private readonly List<Definition> _definitions = [];
    private ulong[] _frames = new ulong[256];
    private bool _isSorted = true;

    /// <summary>Makes one that knows nothing yet.</summary>
    /// <param name="maximumBytes">Memory that definitions and their frames may take, in bytes.</param>
    public StackDefinitions(long maximumBytes = DefaultMaximumBytes) => _maximumBytes = maximumBytes;

    /// <summary>How many stack records the trace holds: parts of stacks, whole ones, and keys.</summary>
    public long StackRecords { get; private set; }

    /// <summary>How many events are there that carry the user half of an earlier event's stack as an extended item.</summary>
    public long UserHalves { get; private set; }

    /// <summary>Whether any event of the trace gets a stack, or part of one, from a later record.</summary>
    public bool HasStacks => StackRecords > 0 || UserHalves > 0;

    /// <summary>How many definitions are known.</summary>
    public int Count => _definitions.Count;

    /// <summary>How many different stacks they define.</summary>
    public int DifferentStacks => _lists.Count;

    /// <summary>How many definitions were left out, because they would have taken too much memory.</summary>
    public long Dropped { get; private set; }

    /// <summary>Learns what a trace defines, in a reading of its own.</summary>
    /// <param name="reader">The trace; one that is a pipe is copied to a temporary file by this.</param>
    /// <param name="maximumBytes">Memory that definitions and their frames may take, in bytes.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static StackDefinitions Learn(IEtlReader reader, long maximumBytes = DefaultMaximumBytes)
    {
        ArgumentNullException.ThrowIfNull(reader);
        var sink = new LearningSink(new StackDefinitions(maximumBytes));
        reader.Read(EtlOrder.Cpu, ref sink);
        return sink.Definitions;
    }

    /// <summary>Learns from an event; for whoever reads the trace for other purposes too.</summary>
    /// <param name="traceEvent">Any event.</param>
    /// <returns>True.</returns>
    public bool OnEvent(scoped in EtlEvent traceEvent)
    {
        switch (traceEvent.HookId)
        {
            case KernelHook.Stack or KernelHook.StackKernelKey or KernelHook.StackUserKey:
                StackRecords++;
                break;
            case KernelHook.StackKeyCreate or KernelHook.StackKeyDelete or KernelHook.StackKeyRundown:
                Define(in traceEvent);
                break;
            default:
                UserHalves += StackHooks.IsUserHalf(in traceEvent) ? 1 : 0;
                break;
        }

        return true;
    }

    /// <summary>The frames that a key stood for.</summary>
    /// <param name="key">The key.</param>
    /// <param name="useTicks">Time stamp of the record that uses it, in ticks of the trace's clock.</param>
    /// <param name="frames">Addresses of code, innermost first.</param>
    /// <returns>False when no definition is known.</returns>
    public bool TryResolve(ulong key, long useTicks, out ReadOnlySpan<ulong> frames)
    {
        int list = ListOf(key, useTicks);
        frames = list == NotFound ? default : _lists[list];
        return list != NotFound;
    }

    /// <summary>Everything was learnt: from now on several threads may ask at once.</summary>
    public void Complete()
    {
        if (!_isSorted)
        {
            _definitions.Sort();
            _isSorted = true;
        }
    }

    /// <summary>The number of the list of frames that a key stood for.</summary>
    /// <returns>-1 when no definition is known.</returns>
    internal int ListOf(ulong key, long useTicks)
    {
        Complete();
        ReadOnlySpan<Definition> all = CollectionsMarshal.AsSpan(_definitions);
        int next = all.BinarySearch(new Definition(key, useTicks, NotFound, IsCreate: false));
        next = next < 0 ? ~next : next;
        Definition? after = next < all.Length && all[next].Key == key ? all[next] : null;
        Definition? before = next > 0 && all[next - 1].Key == key ? all[next - 1] : null;
        return after is { IsCreate: false } || before is not { IsCreate: true }
            ? after?.List ?? NotFound
            : before.GetValueOrDefault().List;
    }

    /// <summary>One of the different stacks that keys stand for.</summary>
    /// <param name="list">Its number, below <see cref="DifferentStacks"/>.</param>
    /// <returns>Addresses of code, innermost first.</returns>
    public ReadOnlySpan<ulong> FramesOf(int list) => _lists[list];

    private void Define(in EtlEvent traceEvent)
    {
        if (!StackKeyDefinitionRecord.TryRead(in traceEvent, out StackKeyDefinitionRecord record))
        {
            return;
        }

        int count = record.FrameCount;
        if (_frames.Length < count)
        {
            _frames = new ulong[count * 2];
        }

        for (int i = 0; i < count; i++)
        {
            _frames[i] = record.Frame(i);
        }

        long left = _maximumBytes - ((_definitions.Count + 1L) * DefinitionBytes);
        if (left < 0 || !_lists.TryAdd(_frames.AsSpan(0, count), left, out int list))
        {
            Dropped++;
            return;
        }

        var definition = new Definition(record.Key, traceEvent.TimestampTicks, list, traceEvent.HookId == KernelHook.StackKeyCreate);
        _isSorted &= _definitions.Count == 0 || _definitions[^1].CompareTo(definition) <= 0;
        _definitions.Add(definition);
    }

    /// <summary>One definition; ordered by key, then time, then as first met.</summary>
    private readonly record struct Definition(ulong Key, long Ticks, int List, bool IsCreate) : IComparable<Definition>
    {
        public int CompareTo(Definition other)
        {
            int byKey = Key.CompareTo(other.Key);
            int byTime = byKey != 0 ? byKey : Ticks.CompareTo(other.Ticks);
            return byTime != 0 ? byTime : List.CompareTo(other.List);
        }
    }

    /// <summary>A struct, so that the reader's loop is compiled for it.</summary>
    private readonly struct LearningSink(StackDefinitions definitions) : IEtlEventSink
    {
        public StackDefinitions Definitions => definitions;

        public bool OnEvent(scoped in EtlEvent traceEvent) => definitions.OnEvent(in traceEvent);
    }
}
