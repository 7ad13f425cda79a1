namespace Tracer.Symbols.Pdb;

/// <summary>
/// The parts of a module's C13 lines (cvinfo.h: DEBUG_S_SUBSECTION_TYPE), one after the other, each at a multiple of 4:
/// <code>
/// 0  4  kind        4  4  bytes of the part        8  ..  the part
/// </code>
/// </summary>
internal ref struct DebugSubsections(ReadOnlySpan<byte> parts)
{
    public const uint Lines = 0xF2;
    public const uint FileChecksums = 0xF4;
    public const uint InlineeLines = 0xF6;
    public const uint CrossScopeImports = 0xF7;
    public const uint CrossScopeExports = 0xF8;

    private const int HeaderBytes = 8;

    private readonly ReadOnlySpan<byte> _parts = parts;
    private int _next;

    public uint Kind { get; private set; }

    public int Offset { get; private set; }

    public ReadOnlySpan<byte> Part { get; private set; }

    /// <summary>Whether the walk ended because a part says a length that can't be.</summary>
    public bool IsBroken { get; private set; }

    public bool MoveNext()
    {
        int rest = _parts.Length - _next;
        if (rest < HeaderBytes)
        {
            IsBroken = rest > 0;
            return false;
        }

        Kind = LittleEndian.UInt32(_parts, _next);
        uint length = LittleEndian.UInt32(_parts, _next + sizeof(uint));
        if (length > rest - HeaderBytes)
        {
            IsBroken = true;
            return false;
        }

        Offset = _next + HeaderBytes;
        Part = _parts.Slice(Offset, (int)length);
        _next = (int)Math.Min(((long)Offset + length + 3) & ~3L, _parts.Length);
        return true;
    }
}
