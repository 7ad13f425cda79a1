namespace Tracer.Etl.Reading;

/// <summary>
/// Blocks of memory that one reading is done with, for the next: fresh ones cost the system a page at a time. Several threads may use it.
/// </summary>
internal sealed class SpareBlocks
{
    /// <summary>So much is kept, in bytes.</summary>
    private const long MostBytes = 16 * 1024 * 1024;

    /// <summary>What is needed may be so many times smaller than a block, and a little more.</summary>
    private const int Oversize = 4;
    private const int OversizeBytes = 64 * 1024;

    private readonly Lock _lock = new();
    private readonly Stack<byte[]> _blocks = [];
    private long _bytes;

    /// <summary>Whether a block is as large as it must be, and not much larger.</summary>
    public static bool Fits(byte[] block, int bytes) => block.Length >= bytes && block.Length <= (Oversize * (long)bytes) + OversizeBytes;

    /// <summary>A block of so many bytes, or a little more, that holds anything. Those that do not fit are forgotten.</summary>
    public byte[] Take(int bytes)
    {
        lock (_lock)
        {
            while (_blocks.TryPop(out byte[]? block))
            {
                _bytes -= block.Length;
                if (Fits(block, bytes))
                {
                    return block;
                }
            }
        }

        return GC.AllocateUninitializedArray<byte>(bytes);
    }

    /// <summary>Nobody uses the block any more.</summary>
    public void Give(byte[] block)
    {
        lock (_lock)
        {
            if (block.Length > 0 && _bytes + block.Length <= MostBytes)
            {
                _bytes += block.Length;
                _blocks.Push(block);
            }
        }
    }
}
