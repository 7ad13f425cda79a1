using System.Diagnostics;
using System.Text;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>
/// The lines of a server's answer. It may be another server, or none: neither a line, nor all of them, nor a pause is without end.
/// </summary>
internal sealed class ClickHouseLines(Stream answer)
{
    /// <summary>No text of a store is so long, in bytes.</summary>
    private const int LongestLine = 1 << 20;

    /// <summary>What is asked is counted by the server: all rows of an answer are less, in bytes.</summary>
    private const long MostBytes = 256L << 20;

    private const int FirstBytes = 1 << 14;

    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan LongestAnswer = TimeSpan.FromMinutes(20);

    private readonly long _began = Stopwatch.GetTimestamp();
    private byte[] _buffer = new byte[FirstBytes];
    private int _start;
    private int _end;
    private long _read;

    /// <returns>The next line without its end; null behind the last one.</returns>
    /// <exception cref="ClickHouseLinesException">It is longer than any answer.</exception>
    /// <exception cref="IOException">The connection broke off.</exception>
    public string? Next()
    {
        int searched = _start;
        while (true)
        {
            int end = _buffer.AsSpan(searched, _end - searched).IndexOf((byte)'\n');
            if (end >= 0)
            {
                string line = Encoding.UTF8.GetString(_buffer, _start, searched + end - _start);
                _start = searched + end + 1;
                return line;
            }

            searched = _end - _start;
            MakeRoom();
            int count = Read();
            if (count == 0)
            {
                string? rest = _end > 0 ? Encoding.UTF8.GetString(_buffer, 0, _end) : null;
                (_start, _end) = (0, 0);
                return rest;
            }

            _end += count;
            _read += count;
            if (_read > MostBytes)
            {
                throw new ClickHouseLinesException($"its answer has more than {MostBytes >> 20} MiB, too much for an answer");
            }
        }
    }

    private void MakeRoom()
    {
        _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
        (_start, _end) = (0, _end - _start);
        if (_end < _buffer.Length)
        {
            return;
        }

        if (_buffer.Length >= LongestLine)
        {
            throw new ClickHouseLinesException($"its answer has a line of more than {LongestLine >> 10} KiB, too much for an answer");
        }

        Array.Resize(ref _buffer, 2 * _buffer.Length);
    }

    private int Read()
    {
        TimeSpan left = LongestAnswer - Stopwatch.GetElapsedTime(_began);
        using var patience = new CancellationTokenSource(left < TimeSpan.Zero ? TimeSpan.Zero : left < LongestPause ? left : LongestPause);
        return answer.ReadAsync(_buffer.AsMemory(_end), patience.Token).AsTask().GetAwaiter().GetResult();
    }
}

/// <summary>A server's answer has no end.</summary>
internal sealed class ClickHouseLinesException(string message) : Exception(message);
