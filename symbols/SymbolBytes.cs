namespace Tracer.Symbols;

/// <summary>
/// The bytes of one file that symbols are read from. Readers of symbols ask for bytes and open nothing themselves: a command supplies a
/// memory-mapped file, a test an array. Safe for several threads at once.
/// </summary>
public abstract class SymbolBytes
{
    /// <summary>How many bytes the file has.</summary>
    public abstract long Length { get; }

    /// <summary>Some of the bytes, in place.</summary>
    /// <param name="offset">Where they begin.</param>
    /// <param name="length">How many are wanted.</param>
    /// <returns>
    /// As many of them as the file has; none where it ends before. Valid as long as this object is: whoever disposes of the file beneath
    /// must be done with them.
    /// </returns>
    public abstract ReadOnlySpan<byte> At(long offset, int length);

    /// <summary>The bytes of an array.</summary>
    public static SymbolBytes Of(ReadOnlyMemory<byte> bytes) => new Memory(bytes);

    private sealed class Memory(ReadOnlyMemory<byte> bytes) : SymbolBytes
    {
        public override long Length => bytes.Length;

        public override ReadOnlySpan<byte> At(long offset, int length)
        {
            if (offset < 0 || length <= 0 || offset >= bytes.Length)
            {
                return default;
            }

            return bytes.Span.Slice((int)offset, (int)Math.Min(length, bytes.Length - offset));
        }
    }
}
