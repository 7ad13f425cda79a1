using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Tracer.Etl;

namespace Tracer.Contract;

/// <summary>Payloads of the Tracer provider's events: a structure without padding each, as it stands in traces; arrays follow.</summary>
/// <remarks>What a field tells, and with which unit, stands in its row of <see cref="TracerProvider"/>.</remarks>
public static class ProviderPayload
{
    /// <summary>The fields of an event as they stand in its payload; what an array has follows them.</summary>
    public static ReadOnlySpan<byte> Of<TEvent>(in TEvent fields)
        where TEvent : unmanaged => MemoryMarshal.AsBytes(new ReadOnlySpan<TEvent>(in fields));

    /// <returns>False where the payload is too short.</returns>
    public static bool TryRead<TEvent>(ReadOnlySpan<byte> payload, out TEvent fields)
        where TEvent : unmanaged => MemoryMarshal.TryRead(payload, out fields);

    /// <summary>Reads the array that follows the fields of an event: a u16 count and so many values.</summary>
    /// <returns>False where the payload is too short.</returns>
    public static bool TryReadArray<TEvent, TValue>(ReadOnlySpan<byte> payload, out ReadOnlySpan<TValue> values)
        where TEvent : unmanaged
        where TValue : unmanaged
    {
        values = default;
        int at = Unsafe.SizeOf<TEvent>() + sizeof(ushort);
        if (payload.Length < at)
        {
            return false;
        }

        int bytes = Unsafe.SizeOf<TValue>() * MemoryMarshal.Read<ushort>(payload[(at - sizeof(ushort))..]);
        bool isWhole = payload.Length - at >= bytes;
        values = isWhole ? MemoryMarshal.Cast<byte, TValue>(payload.Slice(at, bytes)) : default;
        return isWhole;
    }
}

/// <summary><see cref="TracerProvider.Start"/>, without priorities and capabilities.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct StartEvent
{
    public byte Mode;
    public byte Clock;
    public ulong ClockHz;
    public ulong ThresholdNs;
    public ulong PeriodNs;
    public ulong FloorNs;

    public readonly ReadOnlySpan<byte> Payload(Span<byte> memory, ReadOnlySpan<byte> priorities, DriverCapabilities capabilities)
    {
        var payload = new TraceLoggingPayload(memory);
        payload.Raw(ProviderPayload.Of(in this));
        payload.UInt8Array(priorities);
        payload.UInt32((uint)capabilities);
        return payload.Bytes;
    }
}

/// <summary><see cref="TracerProvider.ClockSync"/>.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct ClockSyncEvent
{
    public ulong Clock;
    public ulong Qpc;
}

/// <summary><see cref="TracerProvider.Wakeup"/>.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct WakeupEvent
{
    public ulong Sequence;
    public ushort Cpu;
    public byte Mode;
    public ulong Expected;
    public ulong Isr;
    public ulong Dpc;
    public ulong Thread;
    public byte Priority;
    public ulong InterruptedIp;
    public ushort InterruptedCs;
    public ulong Tick;
    public ushort TimerCpu;
    public ulong Callback;
    public ulong Queued;

    /// <summary>Bytes of version 1, which ended before the tick.</summary>
    public static int Version1Bytes { get; } = BytesBeforeTick();

    /// <param name="isVersion1">Whether without the tick and what follows it.</param>
    public static ReadOnlySpan<byte> Payload(in WakeupEvent wakeup, bool isVersion1) =>
        ProviderPayload.Of(in wakeup)[..(isVersion1 ? Version1Bytes : Unsafe.SizeOf<WakeupEvent>())];

    /// <summary>Reads a wake-up; fields that version 1 does not have are 0.</summary>
    /// <param name="isVersion1">Whether it is of version 1.</param>
    /// <returns>False where the payload is too short.</returns>
    public static bool TryRead(ReadOnlySpan<byte> payload, bool isVersion1, out WakeupEvent wakeup)
    {
        if (!isVersion1)
        {
            return ProviderPayload.TryRead(payload, out wakeup);
        }

        wakeup = default;
        bool isWhole = payload.Length >= Version1Bytes;
        if (isWhole)
        {
            payload[..Version1Bytes].CopyTo(MemoryMarshal.AsBytes(new Span<WakeupEvent>(ref wakeup)));
        }

        return isWhole;
    }

    private static int BytesBeforeTick()
    {
        WakeupEvent wakeup = default;
        return (int)Unsafe.ByteOffset(ref Unsafe.As<WakeupEvent, byte>(ref wakeup), ref Unsafe.As<ulong, byte>(ref wakeup.Tick));
    }
}

/// <summary><see cref="TracerProvider.EpisodeBegin"/>.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct EpisodeBeginEvent
{
    public uint Episode;
    public ulong LatencyNs;
    public ushort Cpu;
}

/// <summary><see cref="TracerProvider.PitSample"/>, without the callers.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct PitSampleEvent
{
    public uint Episode;
    public uint Index;
    public ushort Cpu;
    public ulong Ip;
    public ushort Cs;
    public ulong Clock;
    public ulong Flags;
    public byte Source;
}

/// <summary><see cref="TracerProvider.EpisodeEnd"/>.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct EpisodeEndEvent
{
    public uint Episode;
    public uint Samples;
    public ulong Overwritten;
    public uint SmiCount;
}

/// <summary><see cref="TracerProvider.Stop"/>.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct StopEvent
{
    public ulong Probes;
    public ulong Dropped;
}

/// <summary><see cref="TracerProvider.TimerState"/>.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct TimerStateEvent
{
    public ushort Cpu;
    public ulong Clock;
    public ulong FloorNs;
    public ulong TickNs;
    public ulong OwnNs;
    public ulong RunNs;
    public ulong LateTimers;
    public ulong Discarded;
    public ushort UnmeasuredCpus;
}

/// <summary><see cref="TracerProvider.CaptureWork"/>.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct CaptureWorkEvent
{
    public byte What;
    public long Begin;
    public long End;
}

/// <summary><see cref="TracerProvider.Capture"/>, without its lists.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct CaptureEvent
{
    public byte Trigger;
    public ulong ThresholdNs;
    public long EpisodeStart;
    public ulong LatencyNs;
    public ushort Cpu;
    public long WindowBegin;
    public long WindowEnd;
    public ulong PreCoveredUs;
}

/// <summary><see cref="TracerProvider.Slice"/>.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct SliceEvent
{
    public long From;
    public long To;
    public long KeptFrom;
    public long KeptTo;
    public ulong Samples;
    public ulong Routines;
    public ulong Switches;
    public ulong Stacks;
}

/// <summary><see cref="TracerProvider.RundownLoss"/>.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct RundownLossEvent
{
    public uint EventsLost;
    public uint BuffersLost;
}
