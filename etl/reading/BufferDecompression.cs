namespace Tracer.Etl.Reading;

/// <summary>Decompresses a buffer into a block that is recycled from buffer to buffer.</summary>
internal static class BufferDecompression
{
    /// <summary>Gives the data of a buffer: as it stands, or decompressed.</summary>
    /// <param name="header">The buffer's header.</param>
    /// <param name="stored">The buffer as it is stored, header included; may be cut at the end of a file.</param>
    /// <param name="block">Takes what must be decompressed.</param>
    /// <param name="offset">The buffer's place in the file.</param>
    /// <param name="health">Is told of damage.</param>
    public static ReadOnlySpan<byte> Data(
        scoped in EtlBufferHeader header, ReadOnlySpan<byte> stored, scoped ref byte[] block, long offset, TraceHealth health) =>
        header.IsCompressed
            ? Decompressed(header, stored, ref block, offset, health)
            : stored[..EndOfRaw(header, stored)];

    /// <summary>The same as <see cref="Data"/>, of what the caller may change.</summary>
    public static Span<byte> OwnData(
        scoped in EtlBufferHeader header, Span<byte> stored, scoped ref byte[] block, long offset, TraceHealth health) =>
        header.IsCompressed
            ? Decompressed(header, stored, ref block, offset, health)
            : stored[..EndOfRaw(header, stored)];

    private static Span<byte> Decompressed(
        scoped in EtlBufferHeader header, ReadOnlySpan<byte> stored, scoped ref byte[] block, long offset, TraceHealth health)
    {
        int end = Decompress(header, stored, ref block, offset, health);
        return block.AsSpan(0, end); // Which may be another one now.
    }

    /// <summary>
    /// Whether what is left of a stream when all has been made of it means nothing: all real streams are used up but for a last word of
    /// flags, and whoever stores them may fill up a buffer behind them.
    /// </summary>
    public static bool IsUsedUp(ReadOnlySpan<byte> left) =>
        left.Length is 0 or sizeof(uint) || (left[0] is 0 or 0xFF && left.IndexOfAnyExcept(left[0]) < 0);

    /// <summary>End of the data of a buffer that is not compressed.</summary>
    /// <param name="header">The buffer's header.</param>
    /// <param name="stored">The buffer as it is stored, header included; may be cut at the end of a file.</param>
    public static int EndOfRaw(in EtlBufferHeader header, ReadOnlySpan<byte> stored)
    {
        int end = header.DataEndWithin(stored.Length);
        if (!header.WasFlushed)
        {
            // How far it was filled is known only as far as it was when that was last noted.
            int certain = (int)Math.Clamp(header.FilledBytes, EtlBufferHeader.HeaderBytes, (uint)end);
            return Math.Max(certain, CutBuffer.EndOfEvents(stored[..end], out _));
        }

        bool isCut = end == stored.Length && header.DataEndWithin((int)Math.Min(header.BufferSize, int.MaxValue)) > end;
        return isCut ? CutBuffer.EndOfWholeEvents(stored) : end;
    }

    /// <param name="header">The buffer's header.</param>
    /// <param name="stored">The buffer as it is stored, header included; may be cut at the end of a file.</param>
    /// <param name="block">Takes the header and what was compressed; made larger where it must be.</param>
    /// <param name="offset">The buffer's place in the file.</param>
    /// <param name="health">Is told of damage.</param>
    /// <returns>End of the data in the block; no more than the header when the buffer is damaged.</returns>
    public static int Decompress(
        in EtlBufferHeader header, ReadOnlySpan<byte> stored, scoped ref byte[] block, long offset, TraceHealth health)
    {
        if (block.Length < header.FilledBytes + XpressDecoder.Slack)
        {
            block = GC.AllocateUninitializedArray<byte>((int)header.FilledBytes + XpressDecoder.Slack);
        }

        return Decompress(header, stored, block.AsSpan(), offset, health);
    }

    /// <summary>Decompresses a buffer into a block that is long enough.</summary>
    /// <param name="header">The buffer's header.</param>
    /// <param name="stored">The buffer as it is stored, header included; may be cut at the end of a file.</param>
    /// <param name="block">Takes the header and what was compressed, and <see cref="XpressDecoder.Slack"/> bytes more.</param>
    /// <param name="offset">The buffer's place in the file.</param>
    /// <param name="health">Is told of damage.</param>
    /// <returns>End of the data in the block; no more than the header when the buffer is damaged.</returns>
    public static int Decompress(
        in EtlBufferHeader header, ReadOnlySpan<byte> stored, scoped Span<byte> block, long offset, TraceHealth health)
    {
        int wanted = (int)header.FilledBytes - EtlBufferHeader.HeaderBytes;
        health.AddWork(wanted);
        XpressEnd end = XpressDecoder.Decode(
            stored[EtlBufferHeader.HeaderBytes..], block[EtlBufferHeader.HeaderBytes..], wanted, out int used, out int made);
        ReadOnlySpan<byte> left = stored[(EtlBufferHeader.HeaderBytes + used)..];
        if (end == XpressEnd.Complete && !IsUsedUp(left) && stored.Length == header.BufferSize)
        {
            // The events are there; whether they are all, no one can tell.
            health.AddDamage(new DamagedBuffer(offset, string.Create(
                CultureInfo.InvariantCulture, $"{left.Length} bytes are left of its compressed data when they should be used up")));
        }

        if (end == XpressEnd.Complete || (end == XpressEnd.InputEnded && stored.Length < header.BufferSize))
        {
            // A buffer that the file's end cuts is good up to there.
            int good = EtlBufferHeader.HeaderBytes + made;
            return end == XpressEnd.Complete ? good : CutBuffer.EndOfWholeEvents(block[..good]);
        }

        health.AddDamage(new DamagedBuffer(offset, string.Create(
            CultureInfo.InvariantCulture, $"its compressed data make no sense after {made} of {wanted} bytes")));
        return EtlBufferHeader.HeaderBytes;
    }
}
