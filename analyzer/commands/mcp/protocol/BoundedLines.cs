namespace Tracer.AnalyzerCommand.Commands.Mcp.Protocol;

/// <summary>Reads lines of bytes, none longer than a limit: of what is longer nothing is kept.</summary>
/// <param name="longest">The most bytes of a line.</param>
internal sealed class BoundedLines(Stream input, int longest)
{
    private const int PieceBytes = 16 * 1024;

    private readonly byte[] _piece = new byte[PieceBytes];
    private byte[] _line = new byte[PieceBytes];
    private int _length;
    private int _from;
    private int _to;

    /// <summary>The last line that was read, until the next is.</summary>
    public ReadOnlyMemory<byte> Line => _line.AsMemory(0, _length);

    /// <summary>Whether that line was longer than the limit.</summary>
    public bool IsTooLong { get; private set; }

    /// <summary>Reads the next line; the last one need not be ended.</summary>
    /// <returns>False where there is none.</returns>
    public async Task<bool> ReadAsync()
    {
        (_length, IsTooLong) = (0, false);
        if (_line.Length > PieceBytes)
        {
            _line = new byte[PieceBytes]; // A long line is rare.
        }

        bool hasAny = false;
        while (true)
        {
            if (_from == _to)
            {
                (_from, _to) = (0, await input.ReadAsync(_piece).ConfigureAwait(false));
                if (_to == 0)
                {
                    return hasAny;
                }
            }

            hasAny = true;
            int end = _piece.AsSpan(_from, _to - _from).IndexOf((byte)'\n');
            int count = end < 0 ? _to - _from : end;
            Add(_piece.AsSpan(_from, count));
            _from += end < 0 ? count : count + 1;
            if (end >= 0)
            {
                return true;
            }
        }
    }

    private void Add(ReadOnlySpan<byte> bytes)
    {
        if (IsTooLong || _length + bytes.Length > longest)
        {
            (IsTooLong, _length) = (true, 0);
            return;
        }

        if (_length + bytes.Length > _line.Length)
        {
            Array.Resize(ref _line, Math.Min(longest, Math.Max(_line.Length * 2, _length + bytes.Length)));
        }

        bytes.CopyTo(_line.AsSpan(_length));
        _length += bytes.Length;
    }
}
