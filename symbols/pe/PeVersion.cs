namespace Tracer.Symbols;

/// <summary>
/// The version resource of an image: who made it and which version it is. Each text is the maker's claim and may be missing.
/// </summary>
public sealed class PeVersion
{
    internal PeVersion(Version? fixedFileVersion, Version? fixedProductVersion, IReadOnlyList<PeVersionTexts> texts)
    {
        (FixedFileVersion, FixedProductVersion, Texts) = (fixedFileVersion, fixedProductVersion, texts);
    }

    /// <summary>The four numbers of the file's version; null if the resource has none.</summary>
    public Version? FixedFileVersion { get; }

    /// <summary>The four numbers of the product's version; null if the resource has none.</summary>
    public Version? FixedProductVersion { get; }

    /// <summary>The texts in each language that the resource has, as they stand there.</summary>
    public IReadOnlyList<PeVersionTexts> Texts { get; }

    /// <summary>Who made it (CompanyName).</summary>
    public string? Company => this["CompanyName"];

    /// <summary>What it is part of (ProductName).</summary>
    public string? Product => this["ProductName"];

    /// <summary>What it is (FileDescription).</summary>
    public string? Description => this["FileDescription"];

    /// <summary>Its version as text (FileVersion), or the four numbers if there is no text.</summary>
    public string? FileVersion => this["FileVersion"] ?? FixedFileVersion?.ToString();

    /// <summary>The product's version as text (ProductVersion), or the four numbers if there is no text.</summary>
    public string? ProductVersion => this["ProductVersion"] ?? FixedProductVersion?.ToString();

    /// <summary>The file's name when it was made (OriginalFilename).</summary>
    public string? OriginalFileName => this["OriginalFilename"];

    /// <summary>
    /// A text by its key, such as <c>InternalName</c>: in English if there is English, else in the first language that has it.
    /// </summary>
    public string? this[string key]
    {
        get
        {
            string? found = null;
            foreach (PeVersionTexts texts in Texts)
            {
                if (texts.Values.TryGetValue(key, out string? value) && value.Length > 0 && (found is null || texts.IsEnglish))
                {
                    found = value;
                    if (texts.IsEnglish)
                    {
                        break;
                    }
                }
            }

            return found;
        }
    }
}

/// <summary>The texts of a version resource in one language.</summary>
/// <param name="Language">Windows language identifier, such as 0x409 for English of the United States; 0 is neutral.</param>
/// <param name="CodePage">Code page that the maker names; the texts are UTF-16 whatever it says.</param>
/// <param name="Values">The texts by their keys (CompanyName, FileVersion ...), whose case does not matter.</param>
public sealed record PeVersionTexts(ushort Language, ushort CodePage, IReadOnlyDictionary<string, string> Values)
{
    /// <summary>Whether the primary language is English.</summary>
    public bool IsEnglish => (Language & 0x3FF) == 9;
}
