using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Tracer.Symbols;

/// <summary>
/// A symbol path as <c>_NT_SYMBOL_PATH</c> has it, on any system: folders, stores and servers, in order, separated by semicolons.
/// </summary>
/// <remarks>
/// <code>
/// C:\symbols                            a folder
/// srv*C:\cache*https://server/symbols   stores, the nearest first; what a far one has is copied to the nearer ones
/// srv**https://server/symbols           the same with the default cache; so is srv*https://server/symbols, and the bare address
/// srv*                                  the default cache and Microsoft's server
/// symsrv*symsrv.dll*C:\cache*...        the same as srv*C:\cache*...
/// cache*C:\cache                        keeps what the stores right of it have; cache* is the default cache
/// %NAME%                                a variable of the environment, anywhere; one that is not set stays as it is
/// </code>
/// Only a semicolon separates, on every system: drives and addresses have colons. Syntax: "Advanced SymSrv use" and "Symbol path for
/// Windows debuggers" of Microsoft's debugger documentation.
/// </remarks>
public sealed class SymbolPath : IEquatable<SymbolPath>
{
    /// <summary>The longest path that is read, in letters; what Windows allows for a variable of the environment.</summary>
    public const int MaximumLength = 32_767;

    /// <summary>As many stores may stand in one part, as with Microsoft's own client.</summary>
    public const int MaximumStores = 10;

    internal const string MicrosoftServer = "https://msdl.microsoft.com/download/symbols";

    private SymbolPath(IReadOnlyList<SymbolPathElement> elements) => Elements = elements;

    /// <summary>A path without parts.</summary>
    public static SymbolPath Empty { get; } = new([]);

    /// <summary>The parts in the order of the path; empty ones are left out.</summary>
    public IReadOnlyList<SymbolPathElement> Elements { get; }

    /// <summary>Reads a symbol path; variables are those of this process.</summary>
    /// <param name="text">The path.</param>
    /// <param name="path">The parts; also those that can't be used, as <see cref="SymbolUnusableElement"/>.</param>
    /// <param name="problem">Why it is no path at all.</param>
    public static bool TryParse(string text, [NotNullWhen(true)] out SymbolPath? path, [NotNullWhen(false)] out string? problem) =>
        TryParse(text, Environment.GetEnvironmentVariable, out path, out problem);

    /// <summary>Reads a symbol path.</summary>
    /// <param name="text">The path.</param>
    /// <param name="variables">The value of a variable; null if it is not set.</param>
    /// <param name="path">The parts; also those that can't be used, as <see cref="SymbolUnusableElement"/>.</param>
    /// <param name="problem">Why it is no path at all.</param>
    public static bool TryParse(
        string text, Func<string, string?> variables,
        [NotNullWhen(true)] out SymbolPath? path, [NotNullWhen(false)] out string? problem)
    {
        ArgumentNullException.ThrowIfNull(text);
        ArgumentNullException.ThrowIfNull(variables);
        string expanded = WithVariables(text, variables);
        problem = expanded.Length > MaximumLength ? $"a symbol path has at most {MaximumLength} characters"
            : expanded.Any(char.IsControl) ? "a symbol path has no control characters"
            : null;
        path = problem is null
            ? new SymbolPath([.. from part in expanded.Split(';') let trimmed = part.Trim() where trimmed.Length > 0 select Read(trimmed)])
            : null;
        return path is not null;
    }

    /// <summary>Whether the parts are the same, in the same order.</summary>
    public bool Equals(SymbolPath? other) => other is not null && Elements.SequenceEqual(other.Elements);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as SymbolPath);

    /// <inheritdoc/>
    public override int GetHashCode() => Elements.Aggregate(0, HashCode.Combine);

    /// <summary>The path in its own syntax, variables replaced; reading it again gives the same parts.</summary>
    public override string ToString() => string.Join(';', Elements);

    private static SymbolPathElement Read(string part)
    {
        string[] pieces = [.. part.Split('*').Select(piece => piece.Trim())];
        if (pieces.Length == 1)
        {
            return new SymbolStoreLocation(part).IsServer ? Stores(part, pieces)
                : IsForeignAddress(part) ? new SymbolUnusableElement(part, "is an address of another kind than http and https")
                : new SymbolFolderElement(part);
        }

        return (pieces[0].ToLowerInvariant(), pieces[1..]) switch
        {
            ("srv", string[] stores) => Stores(part, stores),
            ("symsrv", [string library, .. string[] stores]) when IsOurLibrary(library) => Stores(part, stores),
            ("symsrv", _) => new SymbolUnusableElement(part, "asks for a symbol server library of its own; only symsrv.dll is known"),
            ("cache", [string folder]) => Cache(part, new SymbolStoreLocation(folder)),
            ("cache", _) => new SymbolUnusableElement(part, "has more than one cache"),
            _ => new SymbolUnusableElement(part, "begins with neither srv*, symsrv* nor cache*"),
        };
    }

    private static SymbolPathElement Cache(string part, SymbolStoreLocation folder) =>
        folder.IsServer || IsForeignAddress(folder.Text)
            ? new SymbolUnusableElement(part, "names a server as a cache")
            : new SymbolCacheElement(folder);

    private static bool IsForeignAddress(string text) =>
        text.Contains("://", StringComparison.Ordinal) && !new SymbolStoreLocation(text).IsServer;

    private static bool IsOurLibrary(string library) => library.Equals("symsrv.dll", StringComparison.OrdinalIgnoreCase);

    private static SymbolPathElement Stores(string part, string[] texts)
    {
        SymbolStoreLocation[] stores = [.. texts.Select(text => new SymbolStoreLocation(text)).Distinct()];
        if (Array.Exists(texts, IsForeignAddress))
        {
            return new SymbolUnusableElement(part, "has an address of another kind than http and https");
        }

        if (Array.Exists(stores, store => store.IsServer && !Uri.TryCreate(store.Text, UriKind.Absolute, out _)))
        {
            return new SymbolUnusableElement(part, "has an address that is damaged");
        }

        if (stores.Count(store => !store.IsDefaultCache) > MaximumStores)
        {
            return new SymbolUnusableElement(part, $"has more than {MaximumStores} stores");
        }

        // A server's files need a place; without one they go to the default cache, as with Microsoft's own client.
        return stores switch
        {
            [] or [{ IsDefaultCache: true }] =>
                new SymbolStoresElement([new SymbolStoreLocation(""), new SymbolStoreLocation(MicrosoftServer)]),
            [{ IsServer: true }, ..] =>
                new SymbolStoresElement([new SymbolStoreLocation(""), .. stores.Where(store => !store.IsDefaultCache)]),
            _ => new SymbolStoresElement(stores),
        };
    }

    private static string WithVariables(string text, Func<string, string?> variables)
    {
        StringBuilder expanded = new();
        for (int i = 0; i < text.Length && expanded.Length <= MaximumLength;)
        {
            int end = text[i] == '%' ? text.IndexOf('%', i + 1) : -1;
            if (end > i + 1 && variables(text[(i + 1)..end]) is { } value)
            {
                expanded.Append(value);
                i = end + 1;
            }
            else
            {
                expanded.Append(text[i++]);
            }
        }

        return expanded.ToString();
    }
}
