using System.Buffers.Binary;

namespace Tracer.Analysis.Facts;

/// <summary>
/// When processors were parked, that is, when the scheduler kept threads off them. Add events in any order, call <see cref="Complete"/>
/// once, then query. Memory is bounded.
/// </summary>
/// <remarks>
/// Microsoft-Windows-Kernel-Processor-Power (layouts from public dumps of its manifest; not seen in a real file here): 14 ParkCore and 15
/// UnparkCore {u64 time of the check, u16 group, u8 number}, 65 ParkNodeRundown {u16 group, pointer-sized mask of the node, pointer-sized
/// mask of its parked processors}. Newer versions append fields.
/// </remarks>
public sealed class ParkedProcessors
{
    public const int MaximumChanges = 200_000;

    public const ushort ParkCore = 14;

    public const ushort UnparkCore = 15;

    public const ushort ParkNodeRundown = 65;

    /// <summary>
    /// A processor changed its speed, ProcessorPerfStateChange: u32 state, u32 speed, u16 group, u8 number (public manifest).
    /// </summary>
    public const ushort SpeedChange = 10;

    private const int GroupAt = 8;
    private const int NumberAt = 10;
    private const int CpusOfGroup = 64;

    private readonly List<(ushort Group, byte Number, Change Change)> _taken = [];
    private readonly Dictionary<int, List<Change>> _changes = [];

    /// <summary>GUID of Microsoft-Windows-Kernel-Processor-Power.</summary>
    public static Guid Provider { get; } = new("0f67e49f-fe51-4e9f-b490-6f2948cc6027");

    /// <summary>Whether the trace has any records of parking.</summary>
    public bool IsKnown => _changes.Count > 0;

    /// <summary>Events that were too short, or beyond the limit.</summary>
    public long Dropped { get; private set; }

    /// <summary>Adds an event without a hook id; events of other providers are ignored.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (!traceEvent.IsEventHeader || traceEvent.Id is not (ParkCore or UnparkCore or ParkNodeRundown)
            || traceEvent.ProviderId != Provider)
        {
            return;
        }

        ReadOnlySpan<byte> payload = traceEvent.Payload;
        int pointer = traceEvent.PointerBytes;
        bool isRundown = traceEvent.Id == ParkNodeRundown;
        if (payload.Length < (isRundown ? sizeof(ushort) + (2 * pointer) : NumberAt + 1) || _taken.Count >= MaximumChanges)
        {
            Dropped++;
            return;
        }

        long ticks = traceEvent.TimestampTicks;
        if (!isRundown)
        {
            ushort group = BinaryPrimitives.ReadUInt16LittleEndian(payload[GroupAt..]);
            _taken.Add((group, payload[NumberAt], new Change(ticks, traceEvent.Id == ParkCore, IsRundown: false)));
            return;
        }

        ushort groupOfNode = BinaryPrimitives.ReadUInt16LittleEndian(payload);
        ulong node = Mask(payload[sizeof(ushort)..], pointer);
        ulong parked = Mask(payload[(sizeof(ushort) + pointer)..], pointer);
        for (byte number = 0; number < CpusOfGroup; number++)
        {
            if (((node >> number) & 1) != 0)
            {
                _taken.Add((groupOfNode, number, new Change(ticks, ((parked >> number) & 1) != 0, IsRundown: true)));
            }
        }
    }

    /// <summary>Resolves the processors by group and number, and sorts the changes.</summary>
    /// <param name="processorOf">Group and number in the group of a processor, by index.</param>
    /// <param name="processors">Upper limit of the number of processors.</param>
    public void Complete(Func<int, (ushort Group, byte Number)> processorOf, int processors)
    {
        ArgumentNullException.ThrowIfNull(processorOf);
        if (_taken.Count == 0)
        {
            return;
        }

        Dictionary<(ushort, byte), int> indexOf = [];
        for (int cpu = 0; cpu < processors; cpu++)
        {
            indexOf.TryAdd(processorOf(cpu), cpu);
        }

        foreach ((ushort group, byte number, Change change) in _taken)
        {
            if (indexOf.TryGetValue((group, number), out int cpu))
            {
                if (!_changes.TryGetValue(cpu, out List<Change>? changes))
                {
                    _changes.Add(cpu, changes = []);
                }

                changes.Add(change);
            }
        }

        _taken.Clear();
        foreach (List<Change> changes in _changes.Values)
        {
            changes.Sort(static (one, other) =>
                one.Ticks != other.Ticks ? one.Ticks.CompareTo(other.Ticks) : one.IsParked.CompareTo(other.IsParked));
        }
    }

    /// <summary>The times within a stretch in which a processor was parked, in order.</summary>
    internal List<TickSpan> Of(int cpu, long fromTicks, long toTicks)
    {
        List<TickSpan> parked = [];
        if (!_changes.TryGetValue(cpu, out List<Change>? changes))
        {
            return parked;
        }

        int low = FirstAfter(changes, fromTicks);

        // The state that the first change ends had begun before the trace did.
        bool isParked = low > 0 ? changes[low - 1].IsParked : changes[0].IsParked == changes[0].IsRundown;
        long since = fromTicks;
        for (int i = low; since < toTicks; i++)
        {
            long until = i < changes.Count ? Math.Min(toTicks, changes[i].Ticks) : toTicks;
            if (isParked && until > since)
            {
                parked.Add(new TickSpan(since, until));
            }

            since = until;
            isParked = i < changes.Count && changes[i].IsParked;
        }

        return parked;
    }

    /// <summary>How many changes of a processor lie within a stretch: what <see cref="Of"/> looks at.</summary>
    internal int ChangesIn(int cpu, long fromTicks, long toTicks) => _changes.TryGetValue(cpu, out List<Change>? changes)
        ? FirstAfter(changes, toTicks) - FirstAfter(changes, fromTicks)
        : 0;

    private static int FirstAfter(List<Change> changes, long ticks) => SortedSearch.FirstNot(
        0, changes.Count, (changes, ticks), static (at, i) => at.changes[i].Ticks <= at.ticks);

    private static ulong Mask(ReadOnlySpan<byte> payload, int pointerBytes) => pointerBytes == sizeof(uint)
        ? BinaryPrimitives.ReadUInt32LittleEndian(payload)
        : BinaryPrimitives.ReadUInt64LittleEndian(payload);

    /// <summary>A processor was parked or unparked, or a rundown reported its state.</summary>
    /// <param name="IsRundown">Whether a rundown reported it, so that the processor had been in that state before.</param>
    private readonly record struct Change(long Ticks, bool IsParked, bool IsRundown);
}
