using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.IO.Compression;

namespace Tracer.Symbols;

/// <summary>
/// Expands the blocks of one MSZIP folder, in order. Each block is a deflate stream of its own that may repeat what the blocks before it
/// gave, up to 32 KB back.
/// </summary>
/// <remarks>
/// A block is "CK" and a deflate stream of at most 32 KB expanded (Microsoft, "MSZIP data compression format"). .NET's decoder takes no
/// history, so it is given one as the stream's beginning: a stored block with the last 32 KB, which ends at a byte, then the block itself.
/// <code>
/// 00  length, ~length (u16 each)  history    the deflate stream of the block, whose last part is marked as such
/// </code>
/// </remarks>
internal sealed class MszipBlocks
{
    public const int MaximumExpanded = 32 * 1024;

    private const int StoredHeader = 5;

    private readonly byte[] _input = new byte[StoredHeader + MaximumExpanded + ushort.MaxValue];

    // History in front, then what the block gives, then a byte to see that it gives no more.
    private readonly byte[] _output = new byte[(2 * MaximumExpanded) + 1];
    private int _filled;

    /// <param name="block">Its bytes.</param>
    /// <param name="length">How many it gives, as its header says.</param>
    /// <param name="expanded">What it gives; valid until the next call.</param>
    /// <param name="problem">Why it can't be expanded, as a sentence's end.</param>
    public bool TryExpand(ReadOnlySpan<byte> block, int length, out ReadOnlySpan<byte> expanded, [NotNullWhen(false)] out string? problem)
    {
        expanded = default;
        if (!block.StartsWith("CK"u8) || length > MaximumExpanded || block.Length > ushort.MaxValue)
        {
            problem = "has a damaged MSZIP block";
            return false;
        }

        int history = Math.Min(_filled, MaximumExpanded);
        _output.AsSpan(_filled - history, history).CopyTo(_output);
        int wanted = history + length;
        _filled = 0;
        try
        {
            using MemoryStream input = new(_input, 0, Prepare(history, block[2..]), writable: false);
            using DeflateStream stream = new(input, CompressionMode.Decompress);
            _filled = stream.ReadAtLeast(_output.AsSpan(0, wanted + 1), wanted + 1, throwOnEndOfStream: false);
        }
        catch (Exception fault) when (fault is InvalidDataException or IOException)
        {
            // Told below: nothing was given.
        }

        problem = _filled == wanted ? null : "has a damaged MSZIP block";
        expanded = problem is null ? _output.AsSpan(history, length) : default;
        return problem is null;
    }

    private int Prepare(int history, ReadOnlySpan<byte> deflated)
    {
        if (history == 0)
        {
            deflated.CopyTo(_input);
            return deflated.Length;
        }

        _input[0] = 0;
        BinaryPrimitives.WriteUInt16LittleEndian(_input.AsSpan(1), (ushort)history);
        BinaryPrimitives.WriteUInt16LittleEndian(_input.AsSpan(3), (ushort)~history);
        _output.AsSpan(0, history).CopyTo(_input.AsSpan(StoredHeader));
        deflated.CopyTo(_input.AsSpan(StoredHeader + history));
        return StoredHeader + history + deflated.Length;
    }
}
