namespace Tracer.Capture.Tests;

/// <summary>
/// A session of the fake: what it records, and its buffers. Each CPU fills one; where none is free, a ring takes its oldest full one, and
/// what a file or a reader has not taken yet costs the new event instead.
/// </summary>
internal sealed class FakeSession
{
    public const uint RealTime = 0x100;
    public const uint Buffering = 0x400;
    public const uint SystemLogger = 0x200_0000;
    public const uint FileModes = 0x1 | 0x2 | 0x4 | 0x8;

    private readonly SessionBuffer?[] _filling;
    private readonly Queue<SessionBuffer> _full = new();
    private readonly Stack<SessionBuffer> _free = new();
    private long _nextSequence = 1;
    private int _made;
    private bool[] _wants = [];

    public FakeSession(int cpus) => _filling = new SessionBuffer?[cpus];

    public required string Name { get; init; }

    public required ulong Handle { get; init; }

    public Guid Guid { get; init; }

    public required uint Mode { get; init; }

    public uint ClientContext { get; init; } = 1;

    public required int BufferBytes { get; init; }

    public required int MinimumBuffers { get; init; }

    public required int MaximumBuffers { get; init; }

    /// <summary>Whole seconds after which a real-time session gives its buffers away, however full.</summary>
    public required uint FlushSeconds { get; init; }

    public string? FilePath { get; init; }

    public required long StartTicks { get; init; }

    /// <summary>When the flush timer ran out last, or the session began.</summary>
    public long LastFlushTicks { get; set; }

    public uint[] Masks { get; } = new uint[8];

    /// <summary>Kernel events with stacks: class and opcode.</summary>
    public List<(Guid Class, byte Opcode)> Stacks { get; set; } = [];

    /// <summary>Providers whose events it takes, and the ids of those; null for all.</summary>
    public Dictionary<Guid, ushort[]?> Providers { get; } = [];

    public Dictionary<Guid, byte> Levels { get; } = [];

    /// <summary>EVENT_TRACE_FLAG_NO_SYSCONFIG: it does not describe the machine at its end.</summary>
    public bool HasNoConfiguration => (Masks[0] & 0x1000_0000) != 0;

    public uint EventsLost { get; set; }

    public uint BuffersWritten { get; private set; }

    public uint RealTimeBuffersLost { get; set; }

    /// <summary>Buffers that there are: at least the minimum, though the fake makes them when they are filled.</summary>
    public int Allocated => Math.Max(MinimumBuffers, _made);

    public int InUse => _made - _free.Count;

    public bool IsStopped { get; set; }

    /// <summary>Whose ProcessTrace takes the buffers of a real-time session.</summary>
    public RealTimeReader? Reader { get; set; }

    /// <summary>Whether a reader ever came.</summary>
    public bool HadReader { get; set; }

    public bool IsRealTime => (Mode & RealTime) != 0;

    public bool IsRing => (Mode & Buffering) != 0;

    public bool IsSystemLogger => (Mode & SystemLogger) != 0;

    public int FullBuffers => _full.Count;

    /// <summary>Finds out anew which kinds of events of a machine it records.</summary>
    public void Choose(IReadOnlyList<MachineEventKind> kinds, Func<ushort, (Guid Class, byte Opcode)> nameOf, uint[] known) =>
        _wants = [.. kinds.Select(kind => kind.Provider != Guid.Empty
            ? Providers.TryGetValue(kind.Provider, out ushort[]? ids) && ids?.Contains(kind.Hook) != false
            : IsSystemLogger && (Masks[kind.Word] & known[kind.Word] & kind.Bits) != 0
                && (!kind.IsStack || Stacks.Contains(nameOf(kind.Hook))))];

    public bool Wants(int kind) => kind < _wants.Length && _wants[kind];

    /// <returns>Where it stands, to have its times moved; empty where it was lost.</returns>
    public Span<byte> Log(int cpu, long ticks, ReadOnlySpan<byte> record)
    {
        SessionBuffer? buffer = _filling[cpu] ?? Take(cpu);
        Span<byte> room = buffer is null ? default : buffer.Reserve(record.Length, ticks);
        if (room.IsEmpty && buffer is not null)
        {
            _full.Enqueue(buffer);
            BuffersWritten += IsRing ? 0u : 1u; // What a ring fills is never written.
            _filling[cpu] = null;
            buffer = Take(cpu);
            room = buffer is null ? default : buffer.Reserve(record.Length, ticks);
        }

        if (room.IsEmpty)
        {
            EventsLost++;
            return default;
        }

        record.CopyTo(room);
        return room;
    }

    /// <summary>Ends the buffers that are being filled.</summary>
    public void Flush()
    {
        for (int cpu = 0; cpu < _filling.Length; cpu++)
        {
            if (_filling[cpu] is { IsEmpty: false } buffer)
            {
                _full.Enqueue(buffer);
                BuffersWritten += IsRing ? 0u : 1u; // What a ring fills is never written.
                _filling[cpu] = null;
            }
        }
    }

    /// <summary>Everything in memory, as a snapshot sees it: the oldest first.</summary>
    public SessionBuffer[] InMemory() =>
        [.. _full.Concat(_filling.OfType<SessionBuffer>().Where(buffer => !buffer.IsEmpty)).OrderBy(buffer => buffer.Sequence)];

    /// <summary>Takes the full buffers away; <see cref="GiveBack"/> returns them.</summary>
    public SessionBuffer[] TakeFull()
    {
        SessionBuffer[] full = [.. _full];
        _full.Clear();
        return full;
    }

    public void GiveBack(SessionBuffer[] buffers)
    {
        foreach (SessionBuffer buffer in buffers)
        {
            _free.Push(buffer);
        }
    }

    private SessionBuffer? Take(int cpu)
    {
        int most = IsRing ? MinimumBuffers : MaximumBuffers;
        SessionBuffer? buffer = null;
        if (_free.Count > 0)
        {
            buffer = _free.Pop();
        }
        else if (_made < most)
        {
            buffer = new SessionBuffer(BufferBytes);
            _made++;
        }
        else if (IsRing && _full.Count > 0)
        {
            buffer = _full.Dequeue();
        }

        buffer?.Begin(cpu, _nextSequence++);
        return _filling[cpu] = buffer;
    }
}
