namespace Tracer.Etl.Tests.Writing;

/// <summary>
/// Real files are taken apart into fields and put together again: every header field, every kind of item and every left-over that the
/// product cannot express would change a byte.
/// </summary>
public class RealFileCopyTests
{
    /// <summary>
    /// Header buffers that Windows rewrote: behind their events stand zeros up to this offset, and only then the usual 0xFF.
    /// </summary>
    private static readonly Dictionary<string, int> ZerosUpTo = new()
    {
        ["findneedle-wppenum-sample.etl"] = 0x600,
        ["findneedle-wppstr-sample.etl"] = 0x600,
        ["findneedle-wpptypes-sample.etl"] = 0x600,
    };

    public static TheoryData<string> Files() => [.. RepositoryFiles.InCorpus("*.etl")];

    [Theory]
    [MemberData(nameof(Files))]
    public void A_real_file_is_put_together_again_from_its_fields(string file)
    {
        byte[] original = File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file));
        using MemoryStream copy = new();
        var writer = new EtlBufferWriter(copy);
        int rebuilt = 0;
        foreach (StoredBuffer buffer in StoredFile.Buffers(original))
        {
            byte[] contents = Rebuilt(buffer, ref rebuilt);
            Assert.True(contents.AsSpan().SequenceEqual(buffer.Contents), $"{file}: buffer at 0x{buffer.At:x}");
            if (buffer.At == 0 && ZerosUpTo.TryGetValue(file, out int end))
            {
                contents = [.. contents, .. new byte[end - buffer.Filled]];
            }

            writer.Write(EtlBufferHeader.Read(buffer.Bytes), buffer.IsCompressed ? buffer.Bytes.AsSpan(72) : contents);
        }

        Assert.True(rebuilt > 1);
        Assert.True(original.AsSpan().SequenceEqual(copy.ToArray()), file);
    }

    /// <summary>
    /// What the writer decides itself (sequence numbers, times, flags) differs from the original's, the events do not.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_events_of_real_files_survive_a_copy_through_the_writer(bool compress)
    {
        foreach (string file in Selection.Some(RepositoryFiles.InCorpus("*.etl"), compress ? 2 : 5, parts: 4))
        {
            byte[] original = File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file));
            EtlFileHeader header = StoredFile.Header(original);
            List<StoredBuffer> buffers = [.. StoredFile.Buffers(original).Where(buffer => buffer.Type == 0)];
            using MemoryStream copy = new();
            using (var writer = EtlWriter.Create(copy, header, new EtlWriterOptions { Compress = compress }, leaveOpen: true))
            {
                foreach (StoredBuffer buffer in buffers)
                {
                    foreach (StoredEvent stored in buffer.Events())
                    {
                        writer.WriteRecord(buffer.Cpu, stored.Record);
                    }
                }

                writer.Complete(Math.Max(header.EndFileTime, header.Clock.StartFileTime));
            }

            byte[] bytes = copy.ToArray();
            List<StoredBuffer> copied = StoredFile.Buffers(bytes);
            Assert.Equal(header.SessionName, StoredFile.Header(bytes).SessionName);
            for (int cpu = 0; cpu < header.ProcessorCount; cpu++)
            {
                // Parts that were appended restart their numbers, so the original is taken in the order of the file.
                IEnumerable<StoredEvent> expected =
                    buffers.Where(buffer => buffer.Cpu == cpu).SelectMany(buffer => buffer.Events());
                Assert.True(expected.Select(Text).SequenceEqual(StoredFile.Events(copied, cpu).Select(Text)), $"{file}: CPU {cpu}");
            }

            Assert.True(compress || bytes.Length % header.BufferBytes == 0);
        }
    }

    private static string Text(StoredEvent stored) => Convert.ToBase64String(stored.Record);

    private static byte[] Rebuilt(StoredBuffer buffer, ref int rebuilt)
    {
        byte[] contents = new byte[buffer.Filled - 72];
        int at = 0;
        foreach (StoredEvent stored in buffer.Events())
        {
            Assert.True(EtlEvent.TryRead(stored.Record, 0, 0, out EtlEvent read));
            byte[] payload = [.. read.Counters, .. read.Payload];
            if (LogFileHeaderEvent.TryParse(read, out EtlFileHeader? header))
            {
                LogFileHeaderEvent.WritePayload(header, read.PointerBytes, payload);
            }

            List<EtlExtendedItem> items = [];
            foreach (EtlExtendedItemEnumerator item in read.ExtendedItems)
            {
                items.Add(new EtlExtendedItem(item.Kind, item.Data.ToArray()));
            }

            int bytes = EventRecord.Write(contents.AsSpan(at), EtlEventHeader.Of(read), payload, [.. items]);

            // Windows leaves in the padding what the memory held before: bytes of no event.
            stored.Padding.CopyTo(contents, at + bytes);
            at += bytes + stored.Padding.Length;
            rebuilt++;
        }

        Assert.Equal(contents.Length, at);
        return contents;
    }
}
