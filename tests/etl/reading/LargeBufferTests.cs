using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Tracer.Etl.Tests.Reading;

/// <summary>Buffers so large that several threads look into them at once.</summary>
public class LargeBufferTests
{
    private static readonly int[] Threads = [1, 2, 3, 7];

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public void What_is_settled_and_read_is_the_same_with_any_number_of_threads(bool compress, bool isDamaged)
    {
        byte[] file = Large(compress);
        if (isDamaged)
        {
            long[] buffers = [.. ReadEvents.Of(file, EtlOrder.File).Select(read => read.BufferOffset).Distinct()];
            file.AsSpan((int)buffers[1] + 400, 100).Fill(0xA5);
            file.AsSpan((int)buffers[^1] + 80, 8).Fill(0x7F); // The time of its first event.
        }

        string[] told = [.. Threads.Select(threads => Told(file, threads))];
        Assert.Single(told.Distinct());
        Assert.Equal(isDamaged, told[0].Contains("StrayTimes 1", StringComparison.Ordinal));
    }

    [Fact]
    public void The_ends_are_read_beside_another_reading()
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(Large(compress: false)));
        reader.Settle();
        List<ReadEvent> all = ReadEvents.Of(reader, EtlOrder.Cpu);
        TraceHealth health = reader.Health;
        var ends = new KeepingSink();
        Assert.True(reader.ReadEnds(ref ends));
        Assert.Same(health, reader.Health);
        HashSet<long> first = [.. all.GroupBy(read => read.Cpu).SelectMany(Ends)];
        Assert.Equal(all.Where(read => first.Contains(read.BufferOffset)), ends.Events);
        Assert.True(ends.Events.Count < all.Count);

        static IEnumerable<long> Ends(IEnumerable<ReadEvent> ofCpu)
        {
            long[] buffers = [.. ofCpu.Select(read => read.BufferOffset).Distinct()];
            return buffers.Take(2).Concat(buffers.TakeLast(2));
        }
    }

    private static byte[] Large(bool compress) => WrittenTrace.Of(new TraceShape
    {
        Cpus = 5,
        BufferBytes = 512 * 1024,
        Events = 200_000,
        Compress = compress,
        Noise = compress,
        Inversions = true,
    });

    /// <summary>The header as it is settled, what each reading gives, and what is odd about it.</summary>
    private static string Told(byte[] file, int threads)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Threads = threads;
        reader.Settle();
        List<ReadEvent> byTime = ReadEvents.Of(reader, EtlOrder.Time);
        string health = ReadEvents.Text(reader.Health);
        var lanes = new SortedDictionary<int, KeepingSink>();
        List<long> rounds = [];
        Assert.True(reader.ReadRounds(cpu => new LaneSink(lanes[cpu] = new KeepingSink()), rounds.Add, [], 1000));
        return string.Join('\n', [
            $"{reader.Header}",
            .. reader.Contradictions.Select(contradiction => $"{contradiction}"),
            Hash(byTime),
            health,
            .. lanes.Select(lane => $"{lane.Key} {Hash(lane.Value.Events)}"),
            string.Join(' ', rounds),
            ReadEvents.Text(reader.Health),
            .. reader.Losses.Select(loss => $"{loss}")]);
    }

    private static string Hash(List<ReadEvent> events)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Span<long> numbers = stackalloc long[4];
        foreach (ReadEvent read in events)
        {
            (numbers[0], numbers[1], numbers[2], numbers[3]) = (read.Cpu, read.Ticks, read.BufferOffset, read.Record.Length);
            hash.AppendData(MemoryMarshal.AsBytes(numbers));
            hash.AppendData(MemoryMarshal.AsBytes(read.Record.AsSpan()));
        }

        return Convert.ToHexString(hash.GetHashAndReset());
    }

    private readonly struct LaneSink(KeepingSink sink) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent) => sink.OnEvent(in traceEvent);
    }
}
