using System.Runtime.InteropServices;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Tests;

/// <summary>A kind of event: what switches it on, and where its records keep times.</summary>
/// <param name="Hook">Hook id; the event's id where a provider logged it.</param>
/// <param name="Word">Word of the group masks.</param>
/// <param name="Provider">Provider of an EVENT_HEADER event; empty for kernel events.</param>
/// <param name="IsStack">Whether these are stacks of the events with the hook.</param>
/// <param name="InnerTimes">Offsets of the times in the payload, counted from the record's start.</param>
internal readonly record struct MachineEventKind(
    ushort Hook, int Word, uint Bits, Guid Provider, bool IsStack, int TimeOffset, int[] InnerTimes);

/// <summary>An event of the machine: a record of the store.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct MachineEvent(long Ticks, int Offset, ushort Bytes, ushort Cpu, ushort Kind);

/// <summary>
/// Everything that a simulated machine has to log, by time: its records as they are, without what a session adds by itself (rundowns,
/// configuration, marks), which is kept apart, and without what only a merge adds.
/// </summary>
internal sealed class MachineTrace : IEtlEventSink
{
    private const ushort Interval = 0x0F49;
    private const ushort IntervalEnd = 0x0F4A;
    private const int PerfInfoTime = 8;
    private const int UsualTime = 16;

    private static readonly ushort[] WithInnerTime = [0x0F32, 0x0F42, 0x0F43, 0x0F44, 0x0F45, 0x0F46, 0x0F5F, 0x0220];
    private static readonly ushort[] Bases = [0x1421, 0x1422];

    private readonly List<MachineEvent> _events = [];
    private readonly List<MachineEventKind> _kinds = [];
    private readonly Dictionary<(ushort Hook, Guid Provider, bool IsStack, string? Name), ushort> _kindOf = [];
    private readonly List<byte[]> _alive = [];
    private readonly List<byte[]> _configuration = [];
    private byte[] _store = new byte[1 << 20];
    private int _used;

    private MachineTrace(EtlFileHeader header, TruthReport truth)
    {
        Header = header;
        Truth = truth;
    }

    /// <summary>The header of the whole trace: clock, processors, build.</summary>
    public EtlFileHeader Header { get; }

    public TruthReport Truth { get; }

    /// <summary>Time stamp at which the machine begins.</summary>
    public long FirstTicks => Header.Clock.HeaderTicks;

    /// <summary>Time stamp at which it ends.</summary>
    public long LastTicks => FirstTicks + TicksOf(Truth.Duration);

    public ReadOnlySpan<MachineEvent> Events => CollectionsMarshal.AsSpan(_events);

    public IReadOnlyList<MachineEventKind> Kinds => _kinds;

    /// <summary>DCStart records of the processes, threads and images at the start, and the bases of kernel and hypercall page.</summary>
    public IReadOnlyList<byte[]> AliveAtStart => _alive;

    public IReadOnlyList<byte[]> Configuration => _configuration;

    /// <summary>The record that tells the sampling interval; null where the machine takes no samples.</summary>
    public byte[]? IntervalRecord { get; private set; }

    /// <summary>What a merge would know of the images' files.</summary>
    public MachineImages Images { get; } = new();

    /// <summary>Reads what a simulation wrote.</summary>
    public static MachineTrace Read(Stream trace, TruthReport truth)
    {
        using EtlReader reader = EtlReader.Open(trace, "machine");
        var machine = new MachineTrace(reader.Header, truth);
        reader.Read(EtlOrder.Time, ref machine);
        return machine;
    }

    /// <summary>A time in ticks of the clock.</summary>
    public long TicksOf(Duration time) => (long)((Int128)time.Nanoseconds * Header.Clock.TicksPerSecond / 1_000_000_000);

    public ReadOnlySpan<byte> Record(in MachineEvent one) => _store.AsSpan(one.Offset, one.Bytes);

    public bool OnEvent(in EtlEvent traceEvent)
    {
        if (!traceEvent.IsKernelHook)
        {
            if (traceEvent.IsEventHeader)
            {
                Add(traceEvent, traceEvent.Id, traceEvent.ProviderId, isStack: false);
            }
            else
            {
                Images.Learn(traceEvent);
            }

            return true;
        }

        ushort hook = traceEvent.HookId;
        switch (hook)
        {
            case KernelHook.Stack:
                if (StackRecord.TryRead(traceEvent, out StackRecord stack) && OwnerOf(stack.EventTimeStamp, traceEvent.Cpu) is ushort owner)
                {
                    Add(traceEvent, owner, Guid.Empty, isStack: true);
                }

                break;
            case 0x0303 or 0x0503 or KernelHook.ImageDCStart:
                _alive.Add(traceEvent.Record.ToArray());
                Images.Learn(traceEvent);
                break;
            case Interval:
                IntervalRecord ??= traceEvent.Record.ToArray();
                break;
            case 0x0304 or 0x0504 or KernelHook.ImageDCEnd or IntervalEnd or 0x0008:
                break;
            default:
                if (Bases.Contains(hook))
                {
                    if (!_alive.Exists(record => BitConverter.ToUInt16(record, 6) == hook))
                    {
                        _alive.Add(traceEvent.Record.ToArray());
                    }
                }
                else if (traceEvent.Group == KernelGroup.SystemConfig)
                {
                    _configuration.Add(traceEvent.Record.ToArray());
                }
                else if (traceEvent.Group != KernelGroup.Header)
                {
                    Images.Learn(traceEvent);
                    Add(traceEvent, hook, Guid.Empty, isStack: false);
                }

                break;
        }

        return true;
    }

    /// <summary>The event whose stack stands at a time: the last of its CPU with this stamp, or else of any CPU.</summary>
    private ushort? OwnerOf(long ticks, int cpu)
    {
        ushort? other = null;
        for (int at = _events.Count - 1; at >= 0 && _events[at].Ticks >= ticks; at--)
        {
            MachineEventKind kind = _kinds[_events[at].Kind];
            if (_events[at].Ticks == ticks && !kind.IsStack && kind.Hook is KernelHook.SampledProfile or KernelHook.ContextSwitch
                or KernelHook.ReadyThread)
            {
                if (_events[at].Cpu == cpu)
                {
                    return kind.Hook;
                }

                other ??= kind.Hook;
            }
        }

        return other;
    }

    private void Add(in EtlEvent traceEvent, ushort hook, Guid provider, bool isStack)
    {
        ReadOnlySpan<byte> record = traceEvent.Record;
        ProviderEvent? own = provider == TracerProvider.Id ? OwnEvents.Of(in traceEvent) : null;
        if (!_kindOf.TryGetValue((hook, provider, isStack, own?.Name), out ushort kind))
        {
            kind = (ushort)_kinds.Count;
            _kindOf.Add((hook, provider, isStack, own?.Name), kind);
            (int word, uint bits) = provider == Guid.Empty ? KernelSwitch.Of(hook) : (0, 0);
            int time = traceEvent.Kind is EtlHeaderKind.PerfInfo32 or EtlHeaderKind.PerfInfo64 ? PerfInfoTime : UsualTime;
            int payload = record.Length - traceEvent.Payload.Length;
            int end = record.Length;
            int[] inner = own is not null ? [.. OwnEvents.Times(own).Select(at => payload + at).Where(at => at < end)]
                : provider == Guid.Empty && (isStack || WithInnerTime.Contains(hook)) ? [payload] : [];
            _kinds.Add(new MachineEventKind(hook, word, bits, provider, isStack, time, inner));
        }

        while (_used + record.Length > _store.Length)
        {
            Array.Resize(ref _store, 2 * _store.Length);
        }

        record.CopyTo(_store.AsSpan(_used));
        _events.Add(new MachineEvent(traceEvent.TimestampTicks, _used, (ushort)record.Length, (ushort)traceEvent.Cpu, kind));
        _used += record.Length;
    }
}
