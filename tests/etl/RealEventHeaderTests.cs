using System.Buffers.Binary;

namespace Tracer.Etl.Tests;

/// <summary>
/// Event headers of real files, walked with nothing but <see cref="EtlEvent.TryRead"/> and the buffer header's size, filled size and
/// flags: a wrong size or layout of any header kind would leave a buffer unconsumed.
/// </summary>
public class RealEventHeaderTests
{
    private const int BufferHeaderBytes = 72;
    private const int CompressedFlag = 0x40;

    public static TheoryData<string> Files() => [.. RepositoryFiles.InCorpus("*.etl")];

    [Theory]
    [MemberData(nameof(Files))]
    public void Every_uncompressed_buffer_is_consumed_to_its_filled_size(string file)
    {
        byte[] bytes = File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file));
        int events = 0;
        for (int buffer = 0; buffer + BufferHeaderBytes <= bytes.Length;)
        {
            ReadOnlySpan<byte> header = bytes.AsSpan(buffer);
            int bufferBytes = BinaryPrimitives.ReadInt32LittleEndian(header);
            Assert.True(bufferBytes >= BufferHeaderBytes, $"{file}: buffer of {bufferBytes} bytes at 0x{buffer:x}");
            int filled = BinaryPrimitives.ReadInt32LittleEndian(header[0x30..]);
            int flags = BinaryPrimitives.ReadUInt16LittleEndian(header[0x34..]);
            for (int at = BufferHeaderBytes; at < filled && (flags & CompressedFlag) == 0;)
            {
                bool isEvent = EtlEvent.TryRead(header[at..filled], cpu: 0, buffer, out EtlEvent read);
                Assert.True(isEvent, $"{file}: no event at 0x{buffer + at:x}");
                if (events == 0)
                {
                    Assert.Equal((0, 2, KernelGroup.Header), (read.HookId, read.Version, read.Group));
                    Assert.True(read.Kind is EtlHeaderKind.System32 or EtlHeaderKind.System64);
                }

                Assert.NotEqual(0, read.TimestampTicks);
                events++;
                at += (read.Record.Length + 7) & ~7;
            }

            buffer += bufferBytes;
        }

        Assert.True(events > 0, "not even the header event");
    }
}
