namespace Tracer.AnalyzerCommand.Common.Copies;

/// <summary>An input that holds what another holds, under another name or packed otherwise, or a part of it.</summary>
/// <param name="Path">The one that does not count.</param>
internal sealed record InputCopy(string Path, string Of)
{
    /// <summary>Whether the earlier one holds more.</summary>
    public bool IsPart { get; init; }

    /// <summary>What there is to tell, as one sentence.</summary>
    public string Warning => IsPart
        ? $"{Path} is a part of {Of}: it counts once."
        : Path == Of
        ? $"{Path} is given twice: it counts once."
        : $"{Path} holds what {Of} holds, too: it counts once.";

    /// <summary>Tells the user on standard error.</summary>
    public static void Tell(IEnumerable<InputCopy> copies, TextWriter error)
    {
        foreach (InputCopy copy in copies)
        {
            error.WriteLine($"analyzer: warning: {copy.Warning.TrimEnd('.')}");
        }
    }
}
