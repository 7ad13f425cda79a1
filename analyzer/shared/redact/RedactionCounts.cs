namespace Tracer.AnalyzerShared.Redact;

/// <summary>How many records of the slice were changed, and how.</summary>
internal sealed class RedactionCounts
{
    /// <summary>Records of which only what is known to be a number was kept.</summary>
    public long Cut { get; set; }

    /// <summary>Command lines, user ids, package names and names of threads that were taken out.</summary>
    public long Texts { get; set; }

    /// <summary>Records that only tell that something happened on a CPU: all that they hold was taken out.</summary>
    public long Emptied { get; set; }

    /// <summary>Records that were left out.</summary>
    public long LeftOut { get; set; }

    /// <summary>Begins anew, as a slice is written again.</summary>
    public void Clear() => (Cut, Texts, Emptied, LeftOut) = (0, 0, 0, 0);
}
