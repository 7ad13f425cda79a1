using System.Text;

namespace Tracer.Symbols;

/// <summary>
/// A <c>file.ptr</c>: a store has it instead of a file, to say where the file is (<c>PATH:</c>) or why there is none (<c>MSG:</c>).
/// </summary>
/// <remarks>
/// Whoever filled the store wrote it, perhaps a stranger, and following a path means to open it: a share of another machine learns the
/// user's name and password hash. So it is followed only from a plain folder of this machine that the user named, only as a full path, and
/// only if it leads into such a folder. A server's pointer leads out of the server by its nature and is never followed.
/// </remarks>
internal static class StorePointer
{
    public const int MaximumLength = 4096;

    /// <param name="bytes">Its bytes.</param>
    /// <returns>Where it leads, or else its message.</returns>
    public static (string? Path, string? Message) Read(ReadOnlySpan<byte> bytes)
    {
        string text = Encoding.UTF8.GetString(bytes[..Math.Min(bytes.Length, MaximumLength)]).TrimStart('\uFEFF').Trim();
        text = text.Split('\r', '\n', '\0')[0].Trim();
        return text.StartsWith("MSG:", StringComparison.OrdinalIgnoreCase) ? (null, text[4..].Trim())
            : text.StartsWith("PATH:", StringComparison.OrdinalIgnoreCase) ? (text[5..].Trim(), null)
            : (text, null);
    }

    public static bool MayFollow(string path, SymbolStoreLocation store, IEnumerable<string> named, out string target)
    {
        target = "";
        if (!store.IsLocalFolder || !new SymbolStoreLocation(path).IsLocalFolder || !Path.IsPathFullyQualified(path)
            || path.Any(char.IsControl))
        {
            return false;
        }

        target = Path.GetFullPath(path);
        string below = target;
        StringComparison comparison = OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;
        return named.Any(folder => below.StartsWith(
            Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder)) + Path.DirectorySeparatorChar, comparison));
    }
}
