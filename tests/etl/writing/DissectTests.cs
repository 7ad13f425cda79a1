namespace Tracer.Etl.Tests.Writing;

/// <summary>
/// Written files are read by dissect.etl, a reader that shares nothing with ours: it counts the events of each buffer and tells times.
/// </summary>
public class DissectTests
{
    private const long Start = 133_000_000_000_000_000;

    private const string Script =
        """
        import sys
        from dissect.etl import ETL

        for path in sys.argv[1:]:
            with open(path, "rb") as file:
                trace = ETL(file)
                events = [event.header for event in trace]
                last = events[-1]
                print(
                    trace.logfile_header.logger_name.rstrip("\0"),
                    sum(1 for _ in trace.buffers()),
                    len(events),
                    sum(event.size for event in events),
                    trace.get_filetime_for_event(last.time_delta))
        """;

    [Fact]
    public void Dissect_finds_every_event_of_written_files()
    {
        string folder = Directory.CreateTempSubdirectory("tracer-dissect-").FullName;
        try
        {
            List<string> paths = [];
            List<string> expected = [];
            foreach ((EtlFileHeader header, EtlWriterOptions options) in Variants())
            {
                string path = Path.Combine(folder, $"{paths.Count}.etl");
                paths.Add(path);
                expected.Add(Write(path, header, options));
            }

            Assert.Equal(string.Join('\n', expected), DissectPackages.Run(Script, paths));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static IEnumerable<(EtlFileHeader Header, EtlWriterOptions Options)> Variants()
    {
        EtlFileHeader header = new()
        {
            Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, 1000, Start),
            ProcessorCount = 4,
            BufferBytes = 8192,
            OsBuild = 19041,
            CpuMhz = 3000,
            FileName = "file.etl",
        };
        yield return (header with { SessionName = "plain" }, new());
        yield return (header with { SessionName = "compressed" }, new() { Compress = true });
        yield return (header with { SessionName = "pointers32", PointerBytes = 4 }, new() { Compress = true });
        yield return (header with { SessionName = "cpus", ProcessorCount = 300, BufferBytes = 1024 }, new());
        yield return (header with { SessionName = "large", BufferBytes = 2 * 1024 * 1024 }, new() { Compress = true });
    }

    /// <summary>Writes all kinds of events that dissect.etl knows, and tells the line that the script is to print.</summary>
    private static string Write(string path, EtlFileHeader header, EtlWriterOptions options)
    {
        var schema = new TraceLoggingEventSchema(new TraceLoggingProvider("Tracer.Test"), "Event", [new("n", TraceLoggingInType.UInt32)]);
        int[] lastOfCpu = new int[header.ProcessorCount];
        long recordBytes = 0;
        int events = 1;
        using EtlWriter writer = EtlWriter.Create(path, header, options);
        for (int i = 0; i < 2000; i++)
        {
            long ticks = 2000 + (10L * i);
            int cpu = (i * 7) % header.ProcessorCount;
            EtlEventHeader one = (i % 6) switch
            {
                0 => EtlEventHeader.PerfInfo(0x0F44, 2, ticks, header.PointerBytes),
                1 => EtlEventHeader.System(0x0301, 4, ticks, 1, 2, header.PointerBytes),
                2 => EtlEventHeader.Compact(0x0301, 4, ticks, 1, 2, header.PointerBytes),
                3 => EtlEventHeader.Full(KernelRecordCatalog.ImageIdClass, 0, 2, ticks, 1, 2, header.PointerBytes),
                4 => EtlEventHeader.Instance(KernelRecordCatalog.ImageIdClass, 0, 2, ticks, 1, 2, header.PointerBytes),
                _ => schema.Header(ticks, 1, 2, header.PointerBytes),
            };
            byte[] payload = new byte[4 + (i % 40)];
            ReadOnlySpan<EtlExtendedItem> items = i % 6 == 5 ? schema.Items : default;
            writer.Write(cpu, one, payload, items);
            recordBytes += EventRecord.Measure(one, payload.Length, items);
            lastOfCpu[cpu] = i;
            events++;
        }

        // The last buffer of the file is that of the highest CPU; a loss that no event follows has a buffer without events.
        writer.AddLostBuffers(0, 3);
        writer.Complete(Start + 1_000_000);
        int headerBytes = LogFileHeaderEvent.PayloadBytes(header, header.PointerBytes) + 32;
        long lastTicks = 2000 + (10L * lastOfCpu[^1]);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{header.SessionName} {writer.Header.BuffersWritten} {events} {recordBytes + headerBytes} {Start + lastTicks - 1000}");
    }
}
