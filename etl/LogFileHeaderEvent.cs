using System.Buffers.Binary;

namespace Tracer.Etl;

/// <summary>
/// The payload of the first event of a file (TRACE_LOGFILE_HEADER of evntrace.h and two UTF-16 strings): the one home of its offsets, for
/// reading and for writing.
/// </summary>
/// <remarks>
/// It has a 32-bit and a 64-bit form; the kind of the event's header (SYSTEM32 or SYSTEM64) tells which. They differ by 8 bytes from
/// LogFileName's end on:
/// <code>
///  0x00 BufferSize           0x10 EndTime (i64)        0x24 BuffersWritten   0x34 CpuSpeedInMHz
///  0x04 4 x u8 versions      0x18 TimerResolution      0x28 StartBuffers     0x38 LoggerName (pointer)
///  0x08 ProviderVersion      0x1C MaximumFileSize      0x2C PointerSize           LogFileName (pointer)
///  0x0C NumberOfProcessors   0x20 LogFileMode          0x30 EventsLost
///  then, from 0x40 or 0x48: TIME_ZONE_INFORMATION, 4 bytes of padding,
///  +0xB0 BootTime, +0xB8 PerfFreq, +0xC0 StartTime (i64 each), +0xC8 ReservedFlags, +0xCC BuffersLost, +0xD0 strings
/// </code>
/// </remarks>
internal static class LogFileHeaderEvent
{
    public const ushort HookId = 0x0000;
    public const byte Version = 2;

    /// <summary>Rate that a clock is given when the file names none.</summary>
    public const long AssumedTicksPerSecond = 10_000_000;

    private const long SystemTimeTicksPerSecond = 10_000_000;
    private const long CyclesPerMhz = 1_000_000;

    private const int BufferSize = 0x00;
    private const int OsMajor = 0x04;
    private const int OsMinor = 0x05;
    private const int LayoutMajor = 0x06;
    private const int LayoutMinor = 0x07;
    private const int ProviderVersion = 0x08;
    private const int NumberOfProcessors = 0x0C;
    private const int EndTime = 0x10;
    private const int TimerResolution = 0x18;
    private const int MaximumFileSize = 0x1C;
    private const int LogFileMode = 0x20;
    private const int BuffersWritten = 0x24;
    private const int StartBuffers = 0x28;
    private const int PointerSize = 0x2C;
    private const int EventsLost = 0x30;
    private const int CpuSpeedInMhz = 0x34;
    private const int LoggerName = 0x38;

    // From the time zone on, counted from its start.
    private const int BootTime = 0xB0;
    private const int PerfFreq = 0xB8;
    private const int StartTime = 0xC0;
    private const int ReservedFlags = 0xC8;
    private const int BuffersLost = 0xCC;
    private const int Strings = 0xD0;

    /// <summary>Reads the file header from the first event of a file.</summary>
    /// <param name="headerEvent">The event.</param>
    /// <param name="header">What it says; numbers that do not fit are given as the largest that does.</param>
    /// <returns>False when it is no log-file header event, or too short for one.</returns>
    internal static bool TryParse(in EtlEvent headerEvent, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out EtlFileHeader? header)
    {
        header = null;
        ReadOnlySpan<byte> payload = headerEvent.Payload;
        if (headerEvent.Kind is not (EtlHeaderKind.System32 or EtlHeaderKind.System64)
            || headerEvent.HookId != HookId
            || payload.Length < TimeZone(headerEvent.PointerBytes) + Strings)
        {
            return false;
        }

        bool wide = headerEvent.PointerBytes == 8;
        ReadOnlySpan<byte> late = payload[TimeZone(headerEvent.PointerBytes)..];
        string sessionName = Utf16Bytes.TextToNul(late[Strings..], out int nameBytes);
        string fileName = Utf16Bytes.TextToNul(late[(Strings + nameBytes)..], out _);
        uint cpuMhz = UInt32(payload, CpuSpeedInMhz);
        long perfFreq = Int64(late, PerfFreq);
        uint clockKind = UInt32(late, ReservedFlags);
        TraceClock clock = Clock(clockKind, perfFreq, cpuMhz, headerEvent.TimestampTicks, Int64(late, StartTime));
        header = new EtlFileHeader
        {
            Clock = clock,
            PerformanceFrequency = perfFreq == clock.TicksPerSecond ? null : perfFreq,
            UnknownClockKind = clockKind == (uint)clock.Kind ? null : clockKind,
            ProcessorCount = Saturated(UInt32(payload, NumberOfProcessors)),
            BufferBytes = Saturated(UInt32(payload, BufferSize)),
            OsMajor = payload[OsMajor],
            OsMinor = payload[OsMinor],
            LayoutMajor = payload[LayoutMajor],
            LayoutMinor = payload[LayoutMinor],
            OsBuild = Saturated(UInt32(payload, ProviderVersion)),
            EndFileTime = Int64(payload, EndTime),
            TimerResolution100ns = UInt32(payload, TimerResolution),
            MaximumFileSize = UInt32(payload, MaximumFileSize),
            Mode = (EtlLogFileMode)UInt32(payload, LogFileMode),
            BuffersWritten = UInt32(payload, BuffersWritten),
            StartBuffers = UInt32(payload, StartBuffers),
            PointerBytes = Saturated(UInt32(payload, PointerSize)),
            EventsLost = UInt32(payload, EventsLost),
            BuffersLost = UInt32(late, BuffersLost),
            CpuMhz = cpuMhz,
            InterruptTimerSource = wide ? (ulong)Int64(payload, LoggerName) : UInt32(payload, LoggerName),
            CounterTimerSource = wide ? (ulong)Int64(payload, LoggerName + 8) : UInt32(payload, LoggerName + 4),
            TimeZone = new EtlTimeZone(late[..EtlTimeZone.StructureBytes]),
            BootFileTime = Int64(late, BootTime),
            SessionName = sessionName,
            FileName = fileName,
        };
        return true;
    }

    /// <summary>Size in bytes of the payload of this header.</summary>
    /// <param name="header">The file header.</param>
    /// <param name="pointerBytes">The form: 4 or 8.</param>
    internal static int PayloadBytes(EtlFileHeader header, int pointerBytes) =>
        TimeZone(pointerBytes) + Strings + (2 * (header.SessionName.Length + header.FileName.Length + 2));

    /// <summary>Writes the payload. The time stamp of <see cref="TraceClock.HeaderTicks"/> belongs in the event's header.</summary>
    /// <param name="header">The file header.</param>
    /// <param name="pointerBytes">The form: 4 or 8.</param>
    /// <param name="destination">Takes <see cref="PayloadBytes"/> bytes.</param>
    internal static void WritePayload(EtlFileHeader header, int pointerBytes, Span<byte> destination)
    {
        Span<byte> payload = destination[..PayloadBytes(header, pointerBytes)];
        payload.Clear();
        Put(payload, BufferSize, (uint)header.BufferBytes);
        payload[OsMajor] = header.OsMajor;
        payload[OsMinor] = header.OsMinor;
        payload[LayoutMajor] = header.LayoutMajor;
        payload[LayoutMinor] = header.LayoutMinor;
        Put(payload, ProviderVersion, (uint)header.OsBuild);
        Put(payload, NumberOfProcessors, (uint)header.ProcessorCount);
        Put(payload, EndTime, header.EndFileTime);
        Put(payload, TimerResolution, header.TimerResolution100ns);
        Put(payload, MaximumFileSize, header.MaximumFileSize);
        Put(payload, LogFileMode, (uint)header.Mode);
        Put(payload, BuffersWritten, header.BuffersWritten);
        Put(payload, StartBuffers, header.StartBuffers);
        Put(payload, PointerSize, (uint)header.PointerBytes);
        Put(payload, EventsLost, header.EventsLost);
        Put(payload, CpuSpeedInMhz, header.CpuMhz);
        if (pointerBytes == 8)
        {
            Put(payload, LoggerName, (long)header.InterruptTimerSource);
            Put(payload, LoggerName + 8, (long)header.CounterTimerSource);
        }
        else
        {
            Put(payload, LoggerName, (uint)header.InterruptTimerSource);
            Put(payload, LoggerName + 4, (uint)header.CounterTimerSource);
        }

        Span<byte> late = payload[TimeZone(pointerBytes)..];
        header.TimeZone.Structure.CopyTo(late);
        Put(late, BootTime, header.BootFileTime);
        Put(late, PerfFreq, header.PerformanceFrequency ?? header.Clock.TicksPerSecond);
        Put(late, StartTime, header.Clock.StartFileTime);
        Put(late, ReservedFlags, header.UnknownClockKind ?? (uint)header.Clock.Kind);
        Put(late, BuffersLost, header.BuffersLost);
        int nameBytes = Utf16Bytes.Put(header.SessionName, late[Strings..]);
        Utf16Bytes.Put(header.FileName, late[(Strings + nameBytes + 2)..]);
    }

    private static int TimeZone(int pointerBytes) => LoggerName + (2 * pointerBytes);

    private static TraceClock Clock(uint kind, long perfFreq, uint cpuMhz, long headerTicks, long startFileTime) => kind switch
    {
        (uint)TraceClockKind.SystemTime => new(TraceClockKind.SystemTime, SystemTimeTicksPerSecond, headerTicks, startFileTime),
        (uint)TraceClockKind.CpuCycles => new(
            TraceClockKind.CpuCycles, cpuMhz == 0 ? AssumedTicksPerSecond : cpuMhz * CyclesPerMhz, headerTicks, startFileTime),
        _ => new(TraceClockKind.Qpc, perfFreq <= 0 ? AssumedTicksPerSecond : perfFreq, headerTicks, startFileTime),
    };

    private static int Saturated(uint value) => (int)Math.Min(value, int.MaxValue);

    private static uint UInt32(ReadOnlySpan<byte> bytes, int offset) => BinaryPrimitives.ReadUInt32LittleEndian(bytes[offset..]);

    private static long Int64(ReadOnlySpan<byte> bytes, int offset) => BinaryPrimitives.ReadInt64LittleEndian(bytes[offset..]);

    private static void Put(Span<byte> bytes, int offset, uint value) => BinaryPrimitives.WriteUInt32LittleEndian(bytes[offset..], value);

    private static void Put(Span<byte> bytes, int offset, long value) => BinaryPrimitives.WriteInt64LittleEndian(bytes[offset..], value);
}
