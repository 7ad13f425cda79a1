using System.Buffers.Binary;
using System.Security.Cryptography;
using Tracer.AnalyzerCommand.Common.Copies;

namespace Tracer.Commands.Tests.Common.Copies;

/// <summary>How many records tell that a trace is a part of another.</summary>
public class TracePartsTests
{
    private const long FirstTicks = 1_000_000;
    private const long StartFileTime = 133_000_000_000_000_000;

    /// <summary>Fifteen records may be in any trace.</summary>
    [Theory]
    [InlineData(15, false)]
    [InlineData(16, true)]
    public void A_part_takes_sixteen_records(int records, bool isPart) =>
        Assert.Equal(isPart, IsPart(Written(Enumerable.Range(10, records)), Written(Enumerable.Range(0, records + 20))));

    /// <summary>Of up to 4096 records each is looked for; of more only those of which the digest is even.</summary>
    [Theory]
    [InlineData(4096, false)]
    [InlineData(4097, true)]
    public void One_record_that_the_other_lacks_shows_among_as_many_as_are_kept(int records, bool isPart)
    {
        byte[] part = Written(Enumerable.Range(10, records));
        int odd = OddOf(part);
        Assert.Equal(isPart, IsPart(part, Written(Enumerable.Range(0, records + 20).Where(number => number != odd))));
        Assert.True(IsPart(part, Written(Enumerable.Range(0, records + 20))));
    }

    private static bool IsPart(byte[] part, byte[] whole)
    {
        Dictionary<string, byte[]> files = new() { ["part"] = part, ["whole"] = whole };
        return TraceParts.Among([.. files.Keys], name => new MemoryStream(files[name])).Any(copy => copy is { Path: "part", Of: "whole" });
    }

    /// <summary>The number of a record whose digest is odd.</summary>
    private static int OddOf(byte[] file)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        var sink = new OddSink([]);
        reader.Read(EtlOrder.Time, ref sink);
        return (int)((sink.Found[0] - FirstTicks) / 1000);
    }

    /// <summary>A trace of switches of one session, told by their numbers.</summary>
    private static byte[] Written(IEnumerable<int> numbers)
    {
        var stream = new MemoryStream();
        var header = new EtlFileHeader
        {
            Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, FirstTicks, StartFileTime),
            ProcessorCount = 1,
            BufferBytes = 65536,
            SessionName = "Parts",
        };
        using (EtlWriter writer = EtlWriter.Create(stream, header, leaveOpen: true))
        {
            byte[] payload = new byte[24];
            foreach (int number in numbers)
            {
                BinaryPrimitives.WriteInt32LittleEndian(payload, number);
                var one = new EtlEventHeader
                {
                    Kind = EtlHeaderKind.PerfInfo64,
                    HookId = KernelHook.ContextSwitch,
                    Version = 4,
                    TimestampTicks = FirstTicks + (number * 1000L),
                    ThreadId = EtlEvent.NotInHeader,
                    ProcessId = EtlEvent.NotInHeader,
                };
                writer.Write(0, one, payload);
            }

            writer.Complete(StartFileTime + 1);
        }

        return stream.ToArray();
    }

    private readonly struct OddSink(List<long> found) : IEtlEventSink
    {
        public List<long> Found => found;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.HookId == KernelHook.ContextSwitch && (SHA256.HashData(traceEvent.Record)[0] & 1) != 0)
            {
                found.Add(traceEvent.TimestampTicks);
            }

            return true;
        }
    }
}
