namespace Tracer.Etl;

/// <summary>What the header of a file to be written must fulfil so that readers take it (dissect.etl and etl-parser were tried).</summary>
internal static class FileHeaderRules
{
    private const int BufferStep = 1024;
    private const int LargestBufferOfLayout1 = 1024 * 1024;
    private const int MostProcessorsOfLayout1 = 256;
    private const long CyclesPerMhz = 1_000_000;

    /// <summary>Refuses what no file may say.</summary>
    /// <exception cref="ArgumentException">A rule is broken.</exception>
    public static void Check(EtlFileHeader header, EtlWriterOptions options)
    {
        Require(
            header.BufferBytes is >= BufferStep and <= BufferHeaderLayout.MaximumBufferBytes && header.BufferBytes % BufferStep == 0,
            $"{header.BufferBytes} bytes are not a buffer size: a multiple of 1 KiB, at most 16 MiB.");
        Require(
            header.ProcessorCount is >= 1 and <= EtlBufferHeader.MaximumProcessors,
            $"{header.ProcessorCount} processors: a file has 1 to {EtlBufferHeader.MaximumProcessors}.");
        Require(
            header.ProcessorCount == 1 || (header.Mode & EtlLogFileMode.NoPerProcessorBuffering) == 0,
            "A session with one stream for all CPUs has one processor in its header.");
        Require(header.PointerBytes is 4 or 8, $"Pointers have 4 or 8 bytes, not {header.PointerBytes}.");
        Require(header.Clock.TicksPerSecond > 0 && header.IsClockRateKnown, "The clock has no rate.");
        Require(header.CpuMhz > 0 && header.PerformanceFrequency is null or > 0, "Readers divide by the processor speed and by PerfFreq.");
        Require(
            header.Clock.Kind != TraceClockKind.CpuCycles || header.CpuMhz * CyclesPerMhz == header.Clock.TicksPerSecond,
            "The rate of a clock of CPU cycles is the processor speed.");
        Require(
            !header.SessionName.Contains('\0', StringComparison.Ordinal) && !header.FileName.Contains('\0', StringComparison.Ordinal),
            "A NUL would end a name early.");
        Require(options.RingBuffers >= 0, "A ring has no negative number of buffers.");
        Require(options.RingBuffers == 0 || !options.Compress, "The buffers of a ring have one size, compressed ones have not.");
        Require(
            !options.IsWindows7 || (!options.Compress && header.ProcessorCount <= MostProcessorsOfLayout1),
            "Windows 7 compresses no buffers and writes a CPU as one byte.");
        int headerEvent = EventRecord.Measure(
            HeaderBuffer.EventHeaderOf(header, options), LogFileHeaderEvent.PayloadBytes(header, header.PointerBytes));
        Require(
            options.Compress || headerEvent <= header.BufferBytes - EtlBufferHeader.HeaderBytes,
            $"The header event has {headerEvent} bytes and does not fit a buffer of {header.BufferBytes}.");
    }

    /// <summary>Whether the file needs log layout 2.0 instead of 1.5.</summary>
    public static bool NeedsWideLayout(EtlFileHeader header, EtlWriterOptions options) =>
        options.Compress || header.BufferBytes > LargestBufferOfLayout1 || header.ProcessorCount > MostProcessorsOfLayout1;

    /// <summary>The size that a circular file is limited to: in MiB, or in KiB where the mode counts those.</summary>
    public static uint RingSize(EtlFileHeader header, EtlWriterOptions options)
    {
        long unit = (header.Mode & EtlLogFileMode.SizeInKb) != 0 ? 1024 : 1024 * 1024;
        long bytes = (1L + options.RingBuffers) * header.BufferBytes;
        return (uint)Math.Min(uint.MaxValue, (bytes + unit - 1) / unit);
    }

    private static void Require(bool holds, string rule)
    {
        if (!holds)
        {
            throw new ArgumentException(rule);
        }
    }
}
