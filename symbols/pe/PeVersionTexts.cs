namespace Tracer.Symbols;

/// <summary>The texts of a version resource in one language.</summary>
/// <param name="Language">Windows language identifier, such as 0x409 for English of the United States; 0 is neutral.</param>
/// <param name="CodePage">Code page that the maker names; the texts are UTF-16 whatever it says.</param>
/// <param name="Values">The texts by their keys (CompanyName, FileVersion ...), whose case does not matter.</param>
public sealed record PeVersionTexts(ushort Language, ushort CodePage, IReadOnlyDictionary<string, string> Values)
{
    /// <summary>Whether the primary language is English.</summary>
    public bool IsEnglish => (Language & 0x3FF) == 9;
}
