namespace Tracer.Symbols.Pdb;

/// <summary>
/// The stream "/names": texts that lines and modules name by their place, mostly paths of source files.
/// <code>
/// 0  4   EFFEEFFE
/// 4  4   version of the hash behind the texts
/// 8  4   n, bytes of texts
/// 12 n   texts, each ended by NUL
/// </code>
/// </summary>
internal sealed class NameTable
{
    private const uint Signature = 0xEFFE_EFFE;
    private const int LengthAt = 8;
    private const int TextsAt = 12;
    private const int MaximumNameBytes = 4096;

    private readonly BoundedNames _made = new();
    private readonly MsfStream? _stream;
    private readonly uint _length;

    private NameTable(MsfStream? stream, uint length)
    {
        _stream = stream;
        _length = length;
    }

    public static NameTable Read(MsfStream? stream, DamageLog damage)
    {
        if (stream is null)
        {
            return new NameTable(null, 0);
        }

        if (stream.UInt32(0) != Signature)
        {
            damage.Add(stream.FileOffset(0), "the table of names has no header of a known form: there are no file names");
            return new NameTable(null, 0);
        }

        return new NameTable(stream, (uint)Math.Min(stream.UInt32(LengthAt), Math.Max(0, stream.Length - TextsAt)));
    }

    /// <summary>A text; null where none is at that place.</summary>
    public string? Text(uint place)
    {
        if (_stream is null || place >= _length)
        {
            return null;
        }

        return _made.TryGet(place, out string made) ? made : Make(place);
    }

    private string Make(uint place)
    {
        var scratch = default(MsfStream.Scratch);
        try
        {
            int most = (int)Math.Min(MaximumNameBytes, _length - place);
            return _made.Add(place, LittleEndian.Text(_stream!.Take(TextsAt + (long)place, most, ref scratch)));
        }
        finally
        {
            scratch.Dispose();
        }
    }
}
