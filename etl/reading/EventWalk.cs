using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Goes from event to event through one buffer. Most records of a kernel trace are PERFINFO: those are recognised and measured with one
/// load; every other kind, and whatever is odd, takes the careful path of <see cref="EtlEvent.TryRead"/>.
/// </summary>
internal static class EventWalk
{
    /// <summary>What <see cref="Give"/> returns when the sink wants no more.</summary>
    public const int Stopped = -1;

    /// <summary>
    /// In the first 8 bytes of a record: the marker byte, the kind without its lowest bit (the pointer width), PEBS and counter flags.
    /// </summary>
    private const ulong PerfInfoMask = 0xFFFE_8700;

    /// <summary>What stands there in a PERFINFO record without counters.</summary>
    private const ulong PerfInfoMark = 0xC010_0000;

    /// <param name="buffer">The decompressed buffer, header included, up to the end of its data.</param>
    /// <param name="cpu">Its logical processor.</param>
    /// <param name="bufferOffset">Its place in the file.</param>
    /// <param name="health">Is told what is odd.</param>
    /// <param name="sink">Takes the events.</param>
    /// <returns>False when the sink wants no more.</returns>
    public static bool GiveAll<TSink>(ReadOnlySpan<byte> buffer, int cpu, long bufferOffset, TraceHealth health, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct =>
        GiveRest(buffer, EtlBufferHeader.HeaderBytes, cpu, bufferOffset, health, ref sink);

    /// <summary>
    /// Gives the events from a place on; otherwise as <see cref="GiveAll"/>. Is no part of its caller, so that the compiler's budget for
    /// inlining is the sink's alone.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    public static bool GiveRest<TSink>(
        ReadOnlySpan<byte> buffer, int at, int cpu, long bufferOffset, TraceHealth health, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        while (at < buffer.Length)
        {
            at = Give(buffer, at, cpu, bufferOffset, health, ref sink);
            if (at == Stopped)
            {
                return false;
            }
        }

        return true;
    }

    /// <returns>Where the next one is: the buffer's length or more at its end, <see cref="Stopped"/> when the sink wants no more.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Give<TSink>(
        ReadOnlySpan<byte> buffer, int at, int cpu, long bufferOffset, TraceHealth health, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        if (buffer.Length - at >= EventHeaderLayout.PerfInfoBytes)
        {
            ref byte here = ref Unsafe.Add(ref MemoryMarshal.GetReference(buffer), (uint)at);
            int bytes = Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref here, EventHeaderLayout.SizeAfterVersion));
            int end = at + bytes;
            ulong start = Unsafe.ReadUnaligned<ulong>(ref here);
            if ((start & PerfInfoMask) == PerfInfoMark && bytes >= EventHeaderLayout.PerfInfoBytes && end <= buffer.Length)
            {
                long time = Unsafe.ReadUnaligned<long>(ref Unsafe.Add(ref here, EventHeaderLayout.PerfInfoTime));
                EtlEvent perfInfo = EtlEvent.PerfInfo(
                    start, MemoryMarshal.CreateReadOnlySpan(ref here, bytes), time, cpu, bufferOffset);
                return sink.OnEvent(in perfInfo) ? BufferHeaderLayout.Aligned(end) : Stopped;
            }
        }

        return GiveOther(buffer, at, cpu, bufferOffset, health, ref sink);
    }

    /// <summary>
    /// Measures the event at a place if it is a PERFINFO record without counters, as most are; gives nothing. For whoever needs a buffer's
    /// order before its events: what else stands there <see cref="Measure"/> finds.
    /// </summary>
    /// <param name="buffer">As for <see cref="GiveAll"/>.</param>
    /// <param name="at">The place.</param>
    /// <param name="record">The event.</param>
    /// <param name="hookId">Its hook id.</param>
    /// <param name="timestampTicks">When it was logged.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryMeasure(
        ReadOnlySpan<byte> buffer, int at, out ReadOnlySpan<byte> record, out ushort hookId, out long timestampTicks)
    {
        if (buffer.Length - at >= EventHeaderLayout.PerfInfoBytes)
        {
            ref byte here = ref Unsafe.Add(ref MemoryMarshal.GetReference(buffer), (uint)at);
            ulong start = Unsafe.ReadUnaligned<ulong>(ref here);
            int bytes = (int)(start >> 32) & 0xFFFF;
            if ((start & PerfInfoMask) == PerfInfoMark && bytes >= EventHeaderLayout.PerfInfoBytes && bytes <= buffer.Length - at)
            {
                record = MemoryMarshal.CreateReadOnlySpan(ref here, bytes);
                hookId = (ushort)(start >> 48);
                timestampTicks = Unsafe.ReadUnaligned<long>(ref Unsafe.Add(ref here, EventHeaderLayout.PerfInfoTime));
                return true;
            }
        }

        record = default;
        (hookId, timestampTicks) = (0, 0);
        return false;
    }

    /// <summary>
    /// Tells when the event at a place was logged and where the next one is, and is told what is odd; gives nothing.
    /// </summary>
    /// <param name="buffer">As for <see cref="GiveAll"/>.</param>
    /// <param name="at">The place; moved to the event itself where records without an event are in front of it.</param>
    /// <param name="bufferOffset">Its place in the file.</param>
    /// <param name="health">Is told what is odd; null where nobody wants to know.</param>
    /// <param name="timestampTicks">When it was logged; left as it is by a message that has no time stamp.</param>
    /// <returns>Where the next one is; <see cref="Stopped"/> when there is no event.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Measure(
        ReadOnlySpan<byte> buffer, scoped ref int at, long bufferOffset, TraceHealth? health, scoped ref long timestampTicks)
    {
        if (TryMeasure(buffer, at, out ReadOnlySpan<byte> record, out _, out long logged))
        {
            timestampTicks = logged;
            return BufferHeaderLayout.Aligned(at + record.Length);
        }

        int found = at; // Copies, so that the caller's can stay in registers.
        long ticks = timestampTicks;
        int next = MeasureOther(buffer, ref found, bufferOffset, health, ref ticks);
        at = found;
        timestampTicks = ticks;
        return next;
    }

    /// <summary>Gives the event at a place where <see cref="Measure"/> has found one.</summary>
    /// <returns>False when the sink wants no more.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool GiveFound<TSink>(ReadOnlySpan<byte> buffer, int at, int cpu, long bufferOffset, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        ReadOnlySpan<byte> rest = buffer[at..];
        return GiveFound(MemoryMarshal.Read<ulong>(rest), rest, cpu, bufferOffset, ref sink);
    }

    /// <summary>As the other; of an event whose first bytes were read already.</summary>
    /// <param name="start">Its first 8 bytes.</param>
    /// <param name="rest">From the start of the event to the end of the buffer's data.</param>
    /// <param name="cpu">Logical processor of the buffer.</param>
    /// <param name="bufferOffset">Its place in the file.</param>
    /// <param name="sink">Takes the event.</param>
    /// <returns>False when the sink wants no more.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool GiveFound<TSink>(ulong start, ReadOnlySpan<byte> rest, int cpu, long bufferOffset, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        int bytes = (int)(start >> 32) & 0xFFFF;
        if ((start & PerfInfoMask) == PerfInfoMark && bytes >= EventHeaderLayout.PerfInfoBytes && bytes <= rest.Length)
        {
            long time = MemoryMarshal.Read<long>(rest[EventHeaderLayout.PerfInfoTime..]);
            EtlEvent perfInfo = EtlEvent.PerfInfo(start, rest[..bytes], time, cpu, bufferOffset);
            return sink.OnEvent(in perfInfo);
        }

        return GiveOtherFound(rest, cpu, bufferOffset, ref sink);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool GiveOtherFound<TSink>(ReadOnlySpan<byte> rest, int cpu, long bufferOffset, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct =>
        !EtlEvent.TryRead(rest, cpu, bufferOffset, out EtlEvent other) || sink.OnEvent(in other);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int GiveOther<TSink>(
        ReadOnlySpan<byte> buffer, int at, int cpu, long bufferOffset, TraceHealth health, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        if (!TryFind(buffer, ref at, cpu, bufferOffset, health, out EtlEvent other))
        {
            return buffer.Length;
        }

        return sink.OnEvent(in other) ? at + BufferHeaderLayout.Aligned(other.Record.Length) : Stopped;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int MeasureOther(
        ReadOnlySpan<byte> buffer, scoped ref int at, long bufferOffset, TraceHealth? health, scoped ref long timestampTicks)
    {
        if (!TryFind(buffer, ref at, 0, bufferOffset, health, out EtlEvent other))
        {
            return Stopped;
        }

        if (other.HasTimestamp)
        {
            timestampTicks = other.TimestampTicks;
        }

        return at + BufferHeaderLayout.Aligned(other.Record.Length);
    }

    /// <summary>Finds the event that starts here or, where records of unknown layout are in front of it, behind them.</summary>
    private static bool TryFind(
        ReadOnlySpan<byte> buffer, scoped ref int at, int cpu, long bufferOffset, TraceHealth? health, out EtlEvent found)
    {
        while (at < buffer.Length)
        {
            ReadOnlySpan<byte> rest = buffer[at..];
            if (EtlEvent.TryRead(rest, cpu, bufferOffset, out found))
            {
                return true;
            }

            if (!EventHeaderLayout.TryMeasure(rest, out EtlHeaderKind kind, out int bytes))
            {
                if (rest.Length < BufferHeaderLayout.EventAlignment && rest.IndexOfAnyExcept(rest[0]) < 0 && rest[0] is 0 or 0xFF)
                {
                    at = buffer.Length; // Less than any record: where the data end was rounded up.
                    break;
                }

                if (EventHeaderLayout.TryPassUnknown(rest, out bytes))
                {
                    health?.Add(HealthCounter.SkippedRecords);
                    at += BufferHeaderLayout.Aligned(bytes);
                    continue;
                }

                health?.Add(HealthCounter.UnknownRecords);
                health?.AddDamage(new DamagedBuffer(
                    bufferOffset, $"no event starts at 0x{at:x} of it: the {rest.Length} bytes from there on are left out"));
                at = buffer.Length;
                break;
            }

            health?.Add(kind switch
            {
                EtlHeaderKind.Timed => HealthCounter.TimedRecords,
                EtlHeaderKind.Error => HealthCounter.ErrorRecords,
                EtlHeaderKind.Wnode => HealthCounter.WnodeRecords,
                _ => HealthCounter.DamagedRecords,
            });
            at += BufferHeaderLayout.Aligned(bytes);
        }

        found = default;
        return false;
    }
}
