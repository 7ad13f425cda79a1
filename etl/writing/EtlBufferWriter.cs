using System.Buffers;

namespace Tracer.Etl;

/// <summary>
/// Writes buffers one behind the other with every header field as given: to copy a file so that it equals the original byte for byte, or
/// to make one with the faults that a reader is to survive. For a sound file use <see cref="EtlWriter"/>, which knows the rules.
/// </summary>
/// <param name="stream">Takes the buffers from its current position on; it is not disposed.</param>
public sealed class EtlBufferWriter(Stream stream)
{
    /// <summary>What the unused end of a buffer holds.</summary>
    internal const byte Filler = 0xFF;

    /// <summary>Writes one buffer: the header, the contents, and 0xFF up to the size that the header says.</summary>
    /// <param name="header">The header; only <see cref="EtlBufferHeader.BufferSize"/> is looked at.</param>
    /// <param name="contents">
    /// What stands behind the header: records from <see cref="EventRecord"/> or <see cref="EtlEvent.Record"/>, each with zeros up to the
    /// next multiple of 8 bytes, or their compressed bytes.
    /// </param>
    /// <exception cref="ArgumentException">The buffer is smaller than its contents or larger than 16 MiB.</exception>
    /// <exception cref="IOException">The storage failed.</exception>
    public void Write(in EtlBufferHeader header, ReadOnlySpan<byte> contents)
    {
        long least = (long)EtlBufferHeader.HeaderBytes + contents.Length;
        if (header.BufferSize < least || header.BufferSize > BufferHeaderLayout.MaximumBufferBytes)
        {
            throw new ArgumentException($"A buffer of {header.BufferSize} bytes does not hold {least}.", nameof(header));
        }

        int bytes = (int)header.BufferSize;
        byte[] buffer = ArrayPool<byte>.Shared.Rent(bytes);
        try
        {
            header.Write(buffer);
            contents.CopyTo(buffer.AsSpan(EtlBufferHeader.HeaderBytes));
            buffer.AsSpan((int)least..bytes).Fill(Filler);
            stream.Write(buffer, 0, bytes);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
