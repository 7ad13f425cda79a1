using System.Buffers.Binary;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Reading;

/// <summary>One buffer is damaged: every event of all others comes out as it was, and the damage is named.</summary>
[Trait("Speed", "slow")]
public class DamageTests
{
    private const int BuffersOfOneFile = 4;

    private static readonly EtlOrder[] Orders = [EtlOrder.File, EtlOrder.Time];

    /// <summary>What is done to a buffer, and whether a reader can always tell.</summary>
    private static readonly (string Name, bool IsSeen, Action<byte[], StoredBuffer, Random> Damage)[] Damages =
    [
        ("header zeroed", true, (file, buffer, _) => file.AsSpan(buffer.At, 72).Clear()),
        ("header of ones", true, (file, buffer, _) => file.AsSpan(buffer.At, 72).Fill(0xFF)),
        ("header random", true, (file, buffer, random) => random.NextBytes(file.AsSpan(buffer.At, 72))),
        ("size huge", true, (file, buffer, _) => Put32(file, buffer.At, 0x7FFF_0000)),
        ("size 16 MiB", true, (file, buffer, _) => Put32(file, buffer.At, 0x100_0000)),
        ("size 0", true, (file, buffer, _) => Put32(file, buffer.At, 0)),
        ("size small", true, (file, buffer, _) => Put32(file, buffer.At, 80)),
        ("size of half", true, (file, buffer, _) => Put32(file, buffer.At, (uint)Math.Max(72, buffer.Size / 2 & ~7))),
        ("size twice", true, (file, buffer, _) => Put32(file, buffer.At, (uint)buffer.Size * 2)),
        ("size odd", true, (file, buffer, _) => Put32(file, buffer.At, (uint)buffer.Size + 5)),
        ("offset odd", true, (file, buffer, _) => Put32(file, buffer.At + 0x30, (uint)buffer.Filled + 3)),
        ("offset 0", true, (file, buffer, _) => Put32(file, buffer.At + 0x30, 0)),
        ("offset huge", true, (file, buffer, _) => Put32(file, buffer.At + 0x30, 0xFFFF_FFF8)),
        ("offset too large", true, (file, buffer, _) => Put32(file, buffer.At + 0x30, (uint)Math.Max(buffer.Filled, buffer.Size) + 8)),
        ("flags random", true, (file, buffer, _) => file[buffer.At + 0x35] ^= 0x5A),
        ("type unknown", true, (file, buffer, _) => file[buffer.At + 0x37] ^= 0x21),
        ("compressed flag turned", true, (file, buffer, _) => file[buffer.At + 0x34] ^= 0x40),
        ("cpu changed", false, (file, buffer, _) => file[buffer.At + 0x28] ^= 0x03),
        ("sequence random", false, (file, buffer, random) => random.NextBytes(file.AsSpan(buffer.At + 0x18, 8))),
        ("body random", true, (file, buffer, random) => random.NextBytes(file.AsSpan(buffer.At + 72, DataBytes(buffer)))),
        ("body of zeros", true, (file, buffer, _) => file.AsSpan(buffer.At + 72, DataBytes(buffer)).Clear()),
        ("a bit of the body", false, (file, buffer, random) => AnyByte(file, buffer, random) ^= (byte)(1 << random.Next(8))),
        ("a byte of the body", false, (file, buffer, random) => AnyByte(file, buffer, random) = (byte)random.Next(256)),
        ("half of the body of zeros", false, (file, buffer, _) => file.AsSpan(buffer.At + 72, DataBytes(buffer) / 2).Clear()),
    ];

    public static TheoryData<string> Files() => [.. Selection.Some(RepositoryFiles.InCorpus("*.etl"), 0)];

    [Theory]
    [MemberData(nameof(Files))]
    public void Damage_to_one_buffer_of_a_real_file_leaves_all_others_as_they_were(string file) =>
        AssertOthersUnchanged(file, File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file)));

    [Theory]
    [InlineData(false, 4096)]
    [InlineData(true, 4096)]
    [InlineData(true, 65_536)]
    public void Damage_to_one_buffer_of_a_written_file_leaves_all_others_as_they_were(bool compress, int bufferBytes)
    {
        var shape = new TraceShape { Compress = compress, Events = 3000, Cpus = 3, BufferBytes = bufferBytes };
        AssertOthersUnchanged("written", WrittenTrace.Of(shape));
        AssertOthersUnchanged("noise", WrittenTrace.Of(shape with { Noise = true }));
    }

    [Fact]
    public void Two_damaged_buffers_in_a_row_are_both_named()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Events = 2000 });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        file.AsSpan(buffers[3].At, 200).Fill(0x77);
        file.AsSpan(buffers[4].At, 200).Fill(0x77);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        List<ReadEvent> events = ReadEvents.Of(reader, EtlOrder.File);
        Assert.Equal([buffers[3].At, buffers[4].At], reader.Health.Damage.Select(damage => (int)damage.FileOffset));
        Assert.Equal(EventsOf(buffers, buffer => buffer.At != buffers[3].At && buffer.At != buffers[4].At), TextsOf(events));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Bytes_that_are_missing_or_too_many_cost_one_buffer(bool compress)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Events = 3000, Compress = compress });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        StoredBuffer hit = buffers[buffers.Count / 2];
        int at = hit.At + 200;
        foreach (byte[] changed in (byte[][])[[.. file[..at], .. file[(at + 24)..]], [.. file[..at], .. new byte[13], .. file[at..]]])
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(changed));
            List<ReadEvent> events = ReadEvents.Of(reader, EtlOrder.File);
            Assert.Contains(hit.At, reader.Health.Damage.Select(damage => (int)damage.FileOffset));
            HashSet<string> found = [.. TextsOf(events)];
            string[] lost = [.. EventsOf(buffers, buffer => buffer.At != hit.At).Where(text => !found.Contains(text))];
            Assert.True(lost.Length == 0, $"{lost.Length} events of other buffers are lost\n{ReadEvents.Text(reader.Health)}");
        }
    }

    /// <summary>Found by fuzzing: the filler at the end of a buffer that moved was taken for unused space.</summary>
    [Fact]
    public void Filler_behind_a_moved_buffer_is_no_unused_space()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 1, Events = 250 });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        StoredBuffer last = buffers[^1];
        int inserted = last.Size - last.Filled - 8;
        int at = buffers[^2].At + 300;
        using EtlReader reader = EtlReader.Open(new MemoryStream([.. file[..at], .. new byte[inserted], .. file[at..]]));
        List<ReadEvent> events = ReadEvents.Of(reader, EtlOrder.File);
        Assert.Equal(EventsOf([last], _ => true), TextsOf(events.Where(read => read.BufferOffset == last.At + inserted)));
    }

    /// <summary>Found by fuzzing: counting took the buffer that is last in the file for the one that ends last.</summary>
    [Fact]
    public void A_buffer_inside_an_event_before_damage_is_read_the_same_in_every_order()
    {
        byte[] inner = StoredFile.Buffers(WrittenTrace.Of(new TraceShape { Events = 20 }))[^1] is var last ? last.Bytes[..last.Filled] : [];
        using MemoryStream stream = new();
        using (EtlWriter writer = EtlWriter.Create(stream, WrittenTrace.Header(new TraceShape()), leaveOpen: true))
        {
            writer.Write(0, EtlEventHeader.PerfInfo(0x0F44, 2, 2000), [.. new byte[80], .. inner, .. new byte[3000 - inner.Length]]);
            writer.Complete(WrittenTrace.StartFileTime + 1);
        }

        byte[] file = [.. stream.ToArray(), .. Enumerable.Repeat((byte)0x77, 9000)];
        string[] expected = [.. TextsOf(ReadEvents.Of(file, EtlOrder.File)).Order(StringComparer.Ordinal)];
        Assert.InRange(expected.Length, 3, 22);
        foreach (EtlOrder order in Enum.GetValues<EtlOrder>())
        {
            Assert.Equal(expected, TextsOf(ReadEvents.Of(file, order)).Order(StringComparer.Ordinal));
        }
    }

    [Fact]
    public void A_wrong_buffer_size_in_the_header_event_misleads_no_one()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Events = 2000 });
        List<ReadEvent> sound = ReadEvents.Of(file, EtlOrder.File);
        foreach (uint size in (uint[])[0, 1, 72, 512, 2048, 8192, 12_288, 65_536, 0xFFFF_FFFF])
        {
            Put32(file, 72 + 32, size);
            foreach (EtlOrder order in Orders)
            {
                Assert.Equal(
                    sound.Skip(1).Select(read => read.Record).Order(StringComparer.Ordinal),
                    ReadEvents.Of(file, order).Skip(1).Select(read => read.Record).Order(StringComparer.Ordinal));
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_pipe_whose_start_is_damaged_gives_all_other_buffers(bool compress)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Events = 2000, Compress = compress });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        new Random(5).NextBytes(file.AsSpan(0, buffers[0].Size));
        foreach (EtlOrder order in Orders)
        {
            using EtlReader reader = EtlReader.Open(new ForwardStream(file, 1000));
            Assert.False(reader.HasHeader);
            List<ReadEvent> events = ReadEvents.Of(reader, order);
            Assert.True(events.Count > 0, $"{order}: {ReadEvents.Text(reader.Health)}");
            Assert.Equal(
                EventsOf(buffers, buffer => buffer.At != 0).Order(StringComparer.Ordinal), TextsOf(events).Order(StringComparer.Ordinal));
            Assert.Equal(1, reader.Health[HealthCounter.MissingHeader]);
            Assert.Equal(0, Assert.Single(reader.Health.Damage).FileOffset);
        }
    }

    private static void AssertOthersUnchanged(string name, byte[] sound)
    {
        List<StoredBuffer> buffers = StoredFile.Buffers(sound);
        Dictionary<long, ulong> expected = Digests(sound, out _);
        int step = Math.Max(1, buffers.Count / BuffersOfOneFile);
        var random = new Random(17);
        byte[] file = (byte[])sound.Clone();
        List<string> faults = [];
        for (int which = 0; which < buffers.Count; which += which == 0 ? 1 : step)
        {
            StoredBuffer buffer = buffers[which];
            foreach ((string damage, bool isSeen, Action<byte[], StoredBuffer, Random> apply) in Damages)
            {
                apply(file, buffer, random);
                try
                {
                    if (Fault(file, buffer, expected, isSeen) is { } fault)
                    {
                        faults.Add($"{name}: {damage} at 0x{buffer.At:x}: {fault}");
                    }
                }
                catch (EtlFormatException) when (which == 0 && buffers.Count <= 2)
                {
                    // Of such a file nothing may be left that tells what it is.
                }

                buffer.Bytes.CopyTo(file.AsSpan(buffer.At));
            }
        }

        Assert.True(faults.Count == 0, string.Join('\n', faults.Take(12)));
    }

    private static string? Fault(byte[] file, StoredBuffer damaged, Dictionary<long, ulong> expected, bool isSeen)
    {
        Dictionary<long, ulong> digests = Digests(file, out TraceHealth health);
        foreach ((long at, ulong digest) in expected)
        {
            if (at != damaged.At && (!digests.TryGetValue(at, out ulong found) || found != digest))
            {
                return $"the events of the buffer at 0x{at:x} changed; {ReadEvents.Text(health)}";
            }
        }

        if (digests.Keys.Any(at => at != damaged.At && !expected.ContainsKey(at)))
        {
            return $"events come from where no buffer is; {ReadEvents.Text(health)}";
        }

        bool isWhole = expected.GetValueOrDefault(damaged.At) == digests.GetValueOrDefault(damaged.At);
        bool isNamed = health.Damage.Any(one => one.FileOffset == damaged.At)
            || health[HealthCounter.DamagedRecords] + health[HealthCounter.TruncatedBytes] > 0;
        return isNamed || isWhole || !isSeen ? null : $"not named; {ReadEvents.Text(health)}";
    }

    /// <summary>A number for all events of each buffer: record bytes, CPU and time.</summary>
    private static Dictionary<long, ulong> Digests(byte[] file, out TraceHealth health)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        var sink = new DigestSink();
        Assert.True(reader.Read(EtlOrder.File, ref sink));
        health = reader.Health;
        return sink.Digests;
    }

    private static IEnumerable<string> TextsOf(IEnumerable<ReadEvent> events) =>
        events.Select(read => $"{read.Cpu} {read.Ticks} {read.Record}");

    private static IEnumerable<string> EventsOf(List<StoredBuffer> buffers, Func<StoredBuffer, bool> where)
    {
        foreach (StoredEvent stored in buffers.Where(where).SelectMany(buffer => buffer.Events()))
        {
            Assert.True(EtlEvent.TryRead(stored.Record, 0, 0, out EtlEvent read));
            yield return $"{stored.Cpu} {read.TimestampTicks} {Convert.ToBase64String(stored.Record)}";
        }
    }

    /// <summary>Bytes behind the header that hold data, as stored.</summary>
    private static int DataBytes(StoredBuffer buffer) => (buffer.IsCompressed ? buffer.Size : buffer.Filled) - 72;

    private static ref byte AnyByte(byte[] file, StoredBuffer buffer, Random random) =>
        ref file[buffer.At + 72 + random.Next(DataBytes(buffer))];

    private static void Put32(byte[] file, int at, uint value) => BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(at), value);

    private sealed class DigestSink : IEtlEventSink
    {
        public Dictionary<long, ulong> Digests { get; } = [];

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            ulong digest = Digests.GetValueOrDefault(traceEvent.BufferOffset, 14_695_981_039_346_656_037);
            digest = unchecked((digest ^ (ulong)traceEvent.TimestampTicks ^ ((ulong)traceEvent.Cpu << 48)) * 1_099_511_628_211);
            foreach (byte one in traceEvent.Record)
            {
                digest = unchecked((digest ^ one) * 1_099_511_628_211);
            }

            Digests[traceEvent.BufferOffset] = digest;
            return true;
        }
    }
}
