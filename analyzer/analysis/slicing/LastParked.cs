using System.Buffers.Binary;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Slicing;

/// <summary>
/// Which processors were parked when a part of a trace began, and whether the machine was in standby: of each the last change before it,
/// and the first behind it, which tells as well what had been before.
/// </summary>
internal sealed class LastParked(TraceWindow window)
{
    private const int MostProcessors = 1 << 12;

    private readonly Dictionary<ulong, (long Before, long Behind)> _changes = [];

    /// <summary>Takes an event; those of other providers are ignored.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (KeyOf(in traceEvent) is not { } key || (_changes.Count == MostProcessors && !_changes.ContainsKey(key)))
        {
            return;
        }

        long ticks = traceEvent.TimestampTicks;
        (long before, long behind) = _changes.TryGetValue(key, out (long Before, long Behind) known)
            ? known
            : (long.MinValue, long.MaxValue);
        _changes[key] = (
            ticks < window.Begin ? Math.Max(before, ticks) : before,
            ticks > window.End ? Math.Min(behind, ticks) : behind);
    }

    /// <summary>Whether an event is kept; null for one that tells nothing of the kind.</summary>
    public bool? IsKept(in EtlEvent traceEvent)
    {
        if (KeyOf(in traceEvent) is not { } key)
        {
            return null;
        }

        long ticks = traceEvent.TimestampTicks;
        return window.Contains(ticks)
            || (_changes.TryGetValue(key, out (long Before, long Behind) known) && (ticks == known.Before || ticks == known.Behind));
    }

    /// <summary>What an event is about: a processor, a node by its group, or the machine; speeds count by themselves.</summary>
    private static ulong? KeyOf(in EtlEvent traceEvent)
    {
        if (StandbyTimes.IsChange(in traceEvent))
        {
            return 3UL << 32;
        }

        if (!traceEvent.IsEventHeader || traceEvent.ProviderId != ParkedProcessors.Provider)
        {
            return null;
        }

        ReadOnlySpan<byte> payload = traceEvent.Payload;
        const int ProcessorAt = 8;
        const int ProcessorBytes = 3;
        const int MaskBytes = 8;
        ushort id = traceEvent.Id;
        switch (id)
        {
            case ParkedProcessors.ParkCore or ParkedProcessors.UnparkCore or ParkedProcessors.SpeedChange
                when payload.Length >= ProcessorAt + ProcessorBytes:
                uint processor = BinaryPrimitives.ReadUInt16LittleEndian(payload[ProcessorAt..]) | ((uint)payload[ProcessorAt + 2] << 16);
                return ((ulong)(id == ParkedProcessors.SpeedChange ? 1 : 0) << 32) | processor;
            case ParkedProcessors.ParkNodeRundown when payload.Length >= sizeof(ushort) + MaskBytes:
                // A group has several nodes: the mask tells them apart.
                ulong mask = BinaryPrimitives.ReadUInt64LittleEndian(payload[sizeof(ushort)..]);
                return (2UL << 32) | (uint)HashCode.Combine(BinaryPrimitives.ReadUInt16LittleEndian(payload), mask);
            default:
                return null;
        }
    }
}
