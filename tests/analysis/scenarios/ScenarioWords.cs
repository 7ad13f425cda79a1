namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>The words of one line, taken one after the other; what a line lacks or has too much is an error that shows the line.</summary>
internal sealed class ScenarioWords
{
    private readonly string[] _words;
    private readonly string _line;
    private int _next;

    public ScenarioWords(string line)
    {
        _line = line;
        _words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
    }

    /// <summary>From when times with a sign count, in ns.</summary>
    public long Origin { get; init; }

    public bool IsEnd => _next == _words.Length;

    public string Next() => IsEnd ? throw Error("a word is missing") : _words[_next++];

    public string Rest()
    {
        string rest = string.Join(' ', _words[_next..]);
        _next = _words.Length;
        return rest;
    }

    /// <summary>Takes the next word if it is this one.</summary>
    public bool Takes(string word)
    {
        if (IsEnd || _words[_next] != word)
        {
            return false;
        }

        _next++;
        return true;
    }

    public void Expect(string word)
    {
        if (!Takes(word))
        {
            throw Error($"'{word}' is expected");
        }
    }

    public void ExpectEnd()
    {
        if (!IsEnd)
        {
            throw Error($"'{_words[_next]}' is not understood");
        }
    }

    /// <summary>A time in ns: from the start of the trace, or with a sign from the line's own.</summary>
    public long Time()
    {
        string word = Next();
        bool isRelative = word[0] is '+' or '-';
        return (isRelative ? Origin : 0) + Nanoseconds(word[0] == '+' ? word[1..] : word);
    }

    public Duration Length() => new(Nanoseconds(Next()));

    public uint Number()
    {
        string word = Next();
        return uint.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out uint number) ? number
            : TryHex(word, out ulong hex) && hex <= uint.MaxValue ? (uint)hex
            : throw Error($"'{word}' is no number");
    }

    public int Cpu()
    {
        string word = Next();
        return word.StartsWith("cpu", StringComparison.Ordinal)
            && int.TryParse(word[3..], NumberStyles.None, CultureInfo.InvariantCulture, out int cpu)
            ? cpu
            : throw Error($"'{word}' is no CPU");
    }

    /// <summary>A thread with its priority: <c>120(24)</c>.</summary>
    public ThreadPlace Thread()
    {
        string[] parts = Next().Split('(', ')');
        return parts.Length == 3
            && uint.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out uint thread)
            && sbyte.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out sbyte priority)
            ? new ThreadPlace(thread, priority)
            : throw Error("a thread with its priority is expected, as 120(24)");
    }

    public ulong HexNumber()
    {
        string word = Next();
        return TryHex(word, out ulong number) ? number : throw Error($"'{word}' is no hexadecimal number");
    }

    public static bool TryHex(string word, out ulong number)
    {
        number = 0;
        return word.StartsWith("0x", StringComparison.Ordinal)
            && ulong.TryParse(word[2..].Replace("_", ""), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out number);
    }

    public FormatException Error(string what) => new($"{what}: {_line}");

    private long Nanoseconds(string word) => word == "0" ? 0
        : Duration.TryParse(word, out Duration duration, out string? problem) ? duration.Nanoseconds : throw Error(problem!);
}
