using System.Buffers;
using System.Text;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>
/// Collects UTF-8 and passes it on as text in large pieces: a console or pipe takes thousands of lines at once as fast as one.
/// </summary>
internal sealed class DumpOutput(PrintableWriter output)
{
    private const int PieceBytes = 64 * 1024;

    private readonly ArrayBufferWriter<byte> _bytes = new(2 * PieceBytes);
    private char[] _characters = new char[2 * PieceBytes];

    /// <summary>Takes the bytes of whole lines.</summary>
    public IBufferWriter<byte> Bytes => _bytes;

    /// <summary>Ends a line; passes on what was collected when it is enough.</summary>
    public void EndLine()
    {
        _bytes.Write("\n"u8);
        if (_bytes.WrittenCount >= PieceBytes)
        {
            Flush();
        }
    }

    public void Flush()
    {
        int needed = Encoding.UTF8.GetMaxCharCount(_bytes.WrittenCount);
        if (_characters.Length < needed)
        {
            _characters = new char[needed];
        }

        int characters = Encoding.UTF8.GetChars(_bytes.WrittenSpan, _characters);
        output.WriteLines(_characters.AsSpan(0, characters));
        _bytes.ResetWrittenCount();
    }
}
