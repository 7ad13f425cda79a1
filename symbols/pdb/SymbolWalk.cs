namespace Tracer.Symbols.Pdb;

/// <summary>
/// Symbol records one after the other:
/// <code>
/// 0  2  bytes of the record, without this field        2  2  kind        4  ..  fields
/// </code>
/// </summary>
internal ref struct SymbolWalk
{
    /// <summary>The fields begin so many bytes behind the record.</summary>
    public const int FieldsAt = 4;

    private readonly ReadOnlySpan<byte> _symbols;
    private int _next;

    /// <param name="symbols">The records.</param>
    /// <param name="first">Where the first is.</param>
    public SymbolWalk(ReadOnlySpan<byte> symbols, int first)
    {
        _symbols = symbols;
        _next = first;
    }

    public int Offset { get; private set; }

    public ushort Kind { get; private set; }

    public ReadOnlySpan<byte> Fields { get; private set; }

    /// <summary>Whether the walk ended because a record says a length that can't be.</summary>
    public bool IsBroken { get; private set; }

    public bool MoveNext()
    {
        int rest = _symbols.Length - _next;
        if (_next < 0 || rest < FieldsAt)
        {
            IsBroken = rest > 0;
            return false;
        }

        int length = LittleEndian.UInt16(_symbols, _next) + sizeof(ushort);
        if (length < FieldsAt || length > rest)
        {
            IsBroken = true;
            return false;
        }

        Offset = _next;
        Kind = LittleEndian.UInt16(_symbols, _next + sizeof(ushort));
        Fields = _symbols.Slice(_next + FieldsAt, length - FieldsAt);
        _next += length;
        return true;
    }
}
