namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>
/// How much text an event may become, so that a dump is no longer than its trace warrants: a description that many events share may give
/// them more fields than they have bytes, or names without end. What is beyond is left out and counted.
/// </summary>
internal sealed class DumpAllowance
{
    /// <summary>The longest name of a field, event, provider or module; longer ones are cut.</summary>
    public const int LongestName = 256;

    /// <summary>Characters that any event may have, for its names and what its header tells.</summary>
    private const int ForEach = 1024;

    /// <summary>Characters for each byte of its payload: a byte as a field of its own, with a name of usual length.</summary>
    private const int ForEachByte = 64;

    private const string Ellipsis = "...";

    private long _limit;
    private int _closed;
    private long _leftOut;

    public long EventsCut { get; private set; }

    /// <summary>Fields of the current event that were left out or cut.</summary>
    public long LeftOut => _leftOut;

    /// <summary>A name, cut if it is too long.</summary>
    public static string Cut(string name) => Cut(name, LongestName);

    public void Begin(in EtlEvent traceEvent)
    {
        (_closed, _leftOut) = (0, 0);
        _limit = ForEach + ((long)ForEachByte * traceEvent.Payload.Length);
    }

    /// <param name="length">What the event has become so far.</param>
    public bool TakesField(long length)
    {
        bool takes = _closed == 0 && length < _limit;
        _leftOut += takes ? 0 : 1;
        return takes;
    }

    /// <summary>Whether a structure or array is printed; if not, nothing in it is.</summary>
    /// <param name="length">What the event has become so far.</param>
    public bool TakesGroup(long length)
    {
        bool takes = _closed == 0 && length < _limit;
        _closed += takes ? 0 : 1;
        _leftOut += takes ? 0 : 1;
        return takes;
    }

    /// <summary>Whether the end of a structure or array is printed: where its beginning was.</summary>
    public bool TakesEnd()
    {
        bool takes = _closed == 0;
        _closed -= takes ? 0 : 1;
        return takes;
    }

    /// <summary>As much of a text as there is room for.</summary>
    /// <param name="length">What the event has become so far.</param>
    public string Fitting(string text, long length)
    {
        long room = Math.Max(LongestName, _limit - length);
        if (text.Length <= room)
        {
            return text;
        }

        _leftOut++;
        return Cut(text, (int)room);
    }

    public void End() => EventsCut += _leftOut > 0 ? 1 : 0;

    private static string Cut(string text, int length)
    {
        if (text.Length <= length)
        {
            return text;
        }

        int end = length - Ellipsis.Length;
        return string.Concat(text.AsSpan(0, char.IsHighSurrogate(text[end - 1]) ? end - 1 : end), Ellipsis);
    }
}
