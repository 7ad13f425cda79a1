namespace Tracer.Adversary;

/// <summary>Headers that make a reader search for where the next buffer may be.</summary>
internal static class Claims
{
    private const int ClaimBytes = 80;
    private const int FarBytes = 256 * 1024;

    /// <summary>Each might be a header, none follows from the one before, and no sound one comes.</summary>
    public static byte[] Of(int bytes, bool isCompressed)
    {
        using MemoryStream stream = AdversaryTrace.Begun(1, 64 * 1024);
        var writer = new EtlBufferWriter(stream);
        for (int number = 1; stream.Length < bytes; number++)
        {
            var header = new EtlBufferHeader
            {
                BufferSize = ClaimBytes,
                FilledBytes = isCompressed ? 8192u : ClaimBytes,
                SavedOffset = 73,
                SequenceNumber = number,
                State = 3,
                Flags = (ushort)(isCompressed ? 0x60 : 0x20),
            };
            writer.Write(header, new byte[ClaimBytes - EtlBufferHeader.HeaderBytes]);
        }

        return stream.ToArray();
    }

    /// <summary>Each is one beyond doubt, and says that the next stands a quarter of a MiB on.</summary>
    public static byte[] Far(int bytes)
    {
        using MemoryStream stream = AdversaryTrace.Begun(1, 2 * FarBytes);
        byte[] claim = new byte[ClaimBytes];
        for (int number = 1; stream.Length < bytes; number++)
        {
            new EtlBufferHeader
            {
                BufferSize = FarBytes,
                FilledBytes = ClaimBytes,
                SavedOffset = ClaimBytes,
                SequenceNumber = number,
                State = 3,
                Flags = 0x20,
            }.Write(claim);
            claim[^1] = (byte)number;
            stream.Write(claim, 0, ClaimBytes - (number % 3));
        }

        return stream.ToArray();
    }
}
