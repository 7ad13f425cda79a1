using System.Buffers.Binary;
using Microsoft.Diagnostics.Tracing;
using Tracer.Capture.Sessions.Native;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Sessions;

/// <summary>
/// The events of a real-time session, through TraceEvent, as <see cref="InterruptWork"/>. TraceEvent hands out one object again and
/// again, and nothing here allocates per event.
/// </summary>
/// <remarks>
/// All events are looked at by class and opcode instead of TraceEvent's own kernel events, which give durations as
/// rounded milliseconds and no time of entry. Not taken: threaded DPCs (66) and passive-level ISRs (95), which run at PASSIVE level
/// and keep no other thread from running.
/// </remarks>
internal sealed unsafe class RealTimeReading
{
    private static readonly Guid PerfInfo = KernelGroup.PerfInfo.ClassId();

    /// <summary>Class of the records that tell of losses, made by the real-time path itself (RT_LostEvent, Microsoft Learn).</summary>
    internal static readonly Guid LostEvent = new("6a399ae0-4bc6-4de9-870b-3657f8947e7e");

    /// <summary>Upper half of an HRESULT that holds a Win32 code (winerror.h: severity 1, FACILITY_WIN32).</summary>
    private const uint Win32Facility = 0x8007;

    private readonly IInterruptWorkSink _sink;

    private RealTimeReading(IInterruptWorkSink sink) => _sink = sink;

    /// <summary>Reads until the session stops.</summary>
    public static void Read(string name, IInterruptWorkSink sink)
    {
        RealTimeReading reading = new(sink);
        Read(name, reading.OnEvent);
    }

    /// <summary>Reads until the session stops: all its events, as a reader of files would give them.</summary>
    public static void Read(string name, IRealTimeSink sink) => Read(name, new RealTimeEvents(sink).OnEvent);

    private static void Read(string name, Action<TraceEvent> onEvent)
    {
        using ETWTraceEventSource source = Try("OpenTrace", () => new ETWTraceEventSource(name, TraceEventSourceType.Session));
        source.AllEvents += onEvent;
        Try("ProcessTrace", source.Process);
    }

    /// <summary>
    /// The Win32 code in an exception of TraceEvent. It throws what .NET makes of an HRESULT, which is an exception of another type for
    /// each of the better known codes; and an ApplicationException for a handle that is not valid.
    /// </summary>
    /// <returns>The code; null where there is none, and the exception is something else.</returns>
    internal static int? CodeOf(Exception failure) => failure switch
    {
        _ when (uint)failure.HResult >> 16 == Win32Facility => failure.HResult & 0xFFFF,
        ApplicationException => EtwError.InvalidHandle,
        _ => null,
    };

    private static T Try<T>(string function, Func<T> call)
    {
        try
        {
            return call();
        }
        catch (Exception failure) when (CodeOf(failure) is int code)
        {
            throw EtwFailures.Of(function, code);
        }
    }

    private void OnEvent(TraceEvent traceEvent)
    {
        Guid classId = traceEvent.TaskGuid;
        if (classId == PerfInfo)
        {
            OnPerfInfo(traceEvent);
        }
        else if (classId == LostEvent)
        {
            _sink.OnLost(1);
        }
    }

    private void OnPerfInfo(TraceEvent traceEvent)
    {
        bool isIsr;
        switch ((ushort)((ushort)((int)KernelGroup.PerfInfo << 8) | (byte)traceEvent.Opcode))
        {
            case KernelHook.Isr or KernelHook.IsrMessageSignalled:
                isIsr = true;
                break;
            case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc:
                isIsr = false;
                break;
            default:
                return;
        }

        // Both kinds begin alike: i64 entry time, then the routine as a pointer.
        ReadOnlySpan<byte> payload = new((void*)traceEvent.DataStart, traceEvent.EventDataLength);
        int pointerBytes = traceEvent.PointerSize;
        if (payload.Length < sizeof(long) + pointerBytes)
        {
            return;
        }

        ReadOnlySpan<byte> routine = payload[sizeof(long)..];
#pragma warning disable CS0618 // "Not obsolete but discouraged": the milliseconds that it offers instead are rounded.
        long end = traceEvent.TimeStampQPC;
#pragma warning restore CS0618
        _sink.OnWork(new InterruptWork(
            isIsr,
            traceEvent.ProcessorNumber,
            BinaryPrimitives.ReadInt64LittleEndian(payload),
            end,
            pointerBytes == sizeof(ulong)
                ? BinaryPrimitives.ReadUInt64LittleEndian(routine)
                : BinaryPrimitives.ReadUInt32LittleEndian(routine)));
    }
}
