using System.Text;

namespace Tracer.Symbols;

/// <summary>Text of strangers (servers, stores, images) made fit for a message: short, one line, nothing that steers a terminal.</summary>
internal static class ForeignText
{
    private const int MaximumLength = 200;

    public static string Printable(string text)
    {
        StringBuilder printable = new();
        foreach (Rune rune in text.EnumerateRunes())
        {
            if (printable.Length >= MaximumLength)
            {
                printable.Append("...");
                break;
            }

            bool isSafe = Rune.GetUnicodeCategory(rune) is not (UnicodeCategory.Control or UnicodeCategory.Format
                or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator or UnicodeCategory.PrivateUse
                or UnicodeCategory.OtherNotAssigned);
            printable.Append(isSafe ? rune.ToString() : "?");
        }

        return printable.ToString();
    }

    /// <summary>An address without what may be secret: name, password, query.</summary>
    public static string Printable(Uri address) =>
        Printable(address.GetComponents(UriComponents.SchemeAndServer | UriComponents.Path, UriFormat.UriEscaped));
}
