namespace Tracer.Symbols.Pdb;

/// <summary>
/// The program that an inline site's addresses and lines are written as (cvinfo.h: BinaryAnnotationOpcode): numbers of 1, 2 or 4 bytes,
/// an operation and its operands. It moves through the code and begins a row at each place:
/// <code>
///  1 place       the next place is measured from here      6 s        line += s
///  2 n           places are in the n-th separated part     11 s:d     line += s, place += d (4 bits), a row begins
///  3 d           place += d, a row begins                  12 n d     place += d, a row of n bytes
///  4 n           the row ends after n bytes; place = its end
///  5 file        rows from here on are of that file        others     columns and ends of statements: not used
/// </code>
/// A row ends where the next begins. Operation 4 moves the place and 12 does not: so clang and Microsoft's compiler write them (their
/// only ones, each), and llvm-pdbutil reads them.
/// </summary>
internal ref struct BinaryAnnotations
{
    private const int PlaceIs = 1;
    private const int PartIs = 2;
    private const int MovePlace = 3;
    private const int Length = 4;
    private const int File = 5;
    private const int MoveLine = 6;
    private const int MoveBoth = 11;
    private const int LengthAndMovePlace = 12;
    private const int LastOperation = 13;

    private ReadOnlySpan<byte> _rest;
    private uint _place;
    private int _line;
    private uint _file;
    private int _part;

    public BinaryAnnotations(ReadOnlySpan<byte> annotations)
    {
        _rest = annotations;
        _file = NoFile;
    }

    /// <summary>Where no file was named: it is the one that the callee begins in.</summary>
    public const uint NoFile = uint.MaxValue;

    public enum Step
    {
        End,

        /// <summary>A row begins at <see cref="Place"/>.</summary>
        Begin,

        /// <summary>The row that began last ends at <see cref="Place"/>.</summary>
        Close,

        /// <summary>A row begins at <see cref="Place"/> and ends after <see cref="Bytes"/>.</summary>
        Whole,
    }

    /// <summary>Bytes from the begin of the part.</summary>
    public readonly uint Place => _place;

    public uint Bytes { get; private set; }

    /// <summary>Lines from the one that the callee begins at.</summary>
    public readonly int Line => _line;

    /// <summary>Place of the file among the module's checksums; <see cref="NoFile"/> where none was named.</summary>
    public readonly uint FileOffset => _file;

    /// <summary>0: the procedure itself; n: its n-th separated part.</summary>
    public readonly int Part => _part;

    public Step Next()
    {
        while (TryNumber(out uint operation) && operation is > 0 and <= LastOperation && TryNumber(out uint operand))
        {
            switch (operation)
            {
                case PlaceIs:
                    _place = operand;
                    break;
                case PartIs:
                    _part = (int)Math.Min(operand, int.MaxValue);
                    break;
                case MovePlace:
                    _place = unchecked(_place + operand);
                    return Step.Begin;
                case Length:
                    _place = unchecked(_place + operand);
                    return Step.Close;
                case File:
                    _file = operand;
                    break;
                case MoveLine:
                    _line = unchecked(_line + Signed(operand));
                    break;
                case MoveBoth:
                    _line = unchecked(_line + Signed(operand >> 4));
                    _place = unchecked(_place + (operand & 15));
                    return Step.Begin;
                case LengthAndMovePlace when TryNumber(out uint distance):
                    _place = unchecked(_place + distance);
                    Bytes = operand;
                    return Step.Whole;
            }
        }

        return Step.End;
    }

    private static int Signed(uint number) => (number & 1) != 0 ? -(int)(number >> 1) : (int)(number >> 1);

    private bool TryNumber(out uint number)
    {
        number = 0;
        if (_rest.IsEmpty)
        {
            return false;
        }

        byte first = _rest[0];
        int bytes = (first & 0x80) == 0 ? 1 : (first & 0xC0) == 0x80 ? 2 : 4;
        if ((first & 0xE0) == 0xE0 || _rest.Length < bytes)
        {
            return false;
        }

        number = bytes switch
        {
            1 => first,
            2 => ((first & 0x3Fu) << 8) | _rest[1],
            _ => ((first & 0x1Fu) << 24) | ((uint)_rest[1] << 16) | ((uint)_rest[2] << 8) | _rest[3],
        };
        _rest = _rest[bytes..];
        return true;
    }
}
