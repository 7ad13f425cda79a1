using System.Buffers.Binary;

namespace Tracer.Analysis.Facts;

/// <summary>A method of the ACPI tables - firmware code that Windows interprets - began or ended.</summary>
/// <param name="ThreadId">The thread that ran the method, or that was interrupted for it.</param>
/// <param name="Method">The method's path in the ACPI namespace, such as <c>\_SB.PCI0.LPCB.EC0._Q49</c>.</param>
/// <param name="IsBegin">Whether the method began; else it ended.</param>
public readonly record struct AcpiMethodEvent(long Ticks, int Cpu, uint ThreadId, string Method, bool IsBegin);

/// <summary>
/// Collects the events of Microsoft-Windows-Kernel-Acpi that tell when ACPI methods ran. Add events in any order, call
/// <see cref="Complete"/> once, then query. Memory is bounded.
/// </summary>
/// <remarks>
/// Event 7, AmlMethodTrace: u16 length in characters, the name, u16 state, u64 elapsed time (manifest; not seen in a real file here). The
/// values of the state are not public: the lowest one that never has an elapsed time is taken for the begin.
/// </remarks>
public sealed class AcpiMethods
{
    public const int MaximumEvents = 200_000;

    private const ushort MethodTraceId = 7;
    private const int MaximumStates = 8;
    private const int BytesBehindName = 10;

    private readonly NamePool _names = new();
    private readonly List<(AcpiMethodEvent Event, ushort State)> _taken = [];
    private readonly SortedDictionary<ushort, bool> _stateHasElapsed = [];
    private AcpiMethodEvent[] _events = [];

    /// <summary>GUID of Microsoft-Windows-Kernel-Acpi.</summary>
    public static Guid Provider { get; } = new("c514638f-7723-485b-bcfc-96565d735d4a");

    /// <summary>The first <see cref="MaximumEvents"/> events added, sorted by time.</summary>
    public IReadOnlyList<AcpiMethodEvent> Events => _events;

    /// <summary>Number of events, kept or not.</summary>
    public long Count { get; private set; }

    /// <summary>Events of this provider whose payload could not be read.</summary>
    public long Damaged { get; private set; }

    /// <summary>Adds an event without a hook id; events of other providers are ignored.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (traceEvent.IsEventHeader && traceEvent.Id == MethodTraceId && traceEvent.ProviderId == Provider)
        {
            AddMethod(in traceEvent);
        }
    }

    /// <summary>Sorts the events and tells begins from ends.</summary>
    public void Complete()
    {
        ushort? begin = null;
        foreach ((ushort state, bool hasElapsed) in _stateHasElapsed)
        {
            begin ??= hasElapsed ? null : state;
        }

        _events = new AcpiMethodEvent[_taken.Count];
        for (int i = 0; i < _events.Length; i++)
        {
            _events[i] = _taken[i].Event with { IsBegin = _taken[i].State == begin };
        }

        Array.Sort(_events, Compare);
        _taken.Clear();
    }

    private static int Compare(AcpiMethodEvent first, AcpiMethodEvent second)
    {
        int order = first.Ticks.CompareTo(second.Ticks);
        order = order != 0 ? order : first.Cpu.CompareTo(second.Cpu);
        order = order != 0 ? order : first.IsBegin.CompareTo(second.IsBegin);
        return order != 0 ? order : string.CompareOrdinal(first.Method, second.Method);
    }

    private void AddMethod(in EtlEvent traceEvent)
    {
        Count++;
        ReadOnlySpan<byte> payload = traceEvent.Payload;
        int nameBytes = payload.Length < sizeof(ushort) ? 0 : sizeof(char) * BinaryPrimitives.ReadUInt16LittleEndian(payload);
        if (payload.Length < sizeof(ushort) + nameBytes + BytesBehindName)
        {
            Damaged++;
            return;
        }

        ReadOnlySpan<byte> behindName = payload[(sizeof(ushort) + nameBytes)..];
        ushort state = BinaryPrimitives.ReadUInt16LittleEndian(behindName);
        bool hasElapsed = BinaryPrimitives.ReadUInt64LittleEndian(behindName[sizeof(ushort)..]) != 0;
        if (!_stateHasElapsed.TryGetValue(state, out bool known) && _stateHasElapsed.Count == MaximumStates)
        {
            Damaged++;
            return;
        }

        _stateHasElapsed[state] = known || hasElapsed;
        if (_taken.Count < MaximumEvents)
        {
            string name = _names.OfUtf16(payload.Slice(sizeof(ushort), nameBytes));
            _taken.Add((
                new AcpiMethodEvent(traceEvent.TimestampTicks, traceEvent.Cpu, traceEvent.ThreadId, name, IsBegin: false), state));
        }
    }
}
