namespace Tracer.AnalyzerCommand.Common.Copies;

/// <summary>An input that holds what an earlier one holds, under another name or packed otherwise.</summary>
/// <param name="Path">The later one, which does not count.</param>
/// <param name="Of">The one that counts.</param>
internal sealed record InputCopy(string Path, string Of)
{
    /// <summary>What there is to tell, as one sentence.</summary>
    public string Warning => Path == Of
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
