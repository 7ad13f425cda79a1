using System.Buffers.Binary;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>Takes an event; it is valid during the call only.</summary>
internal delegate void EventVisitor(in EtlEvent traceEvent);

/// <summary>The events of a real file's uncompressed buffers, in the order of the file.</summary>
internal static class CorpusEvents
{
    private const int BufferHeaderBytes = 72;
    private const int CompressedFlag = 0x40;

    public static void Visit(string file, EventVisitor visit)
    {
        byte[] bytes = File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file));
        for (int buffer = 0; buffer + BufferHeaderBytes <= bytes.Length;)
        {
            ReadOnlySpan<byte> header = bytes.AsSpan(buffer);
            int filled = BinaryPrimitives.ReadInt32LittleEndian(header[0x30..]);
            bool isCompressed = (BinaryPrimitives.ReadUInt16LittleEndian(header[0x34..]) & CompressedFlag) != 0;
            for (int at = BufferHeaderBytes; at < filled && !isCompressed;)
            {
                Assert.True(EtlEvent.TryRead(header[at..filled], cpu: 0, buffer, out EtlEvent traceEvent));
                visit(in traceEvent);
                at += (traceEvent.Record.Length + 7) & ~7;
            }

            buffer += BinaryPrimitives.ReadInt32LittleEndian(header);
        }
    }
}
