using System.Buffers;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Common.Objects;

/// <summary>
/// An address of an object store in the place of a path: what S3, GCS and Azure call presigned. Its query is a key to the object, so that
/// no message and no case has it.
/// </summary>
internal static class ObjectAddress
{
    private const string SchemeEnd = "://";

    private static readonly SearchValues<char> SchemeLetters =
        SearchValues.Create("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");

    /// <summary>Whether something that was given for a file is an address.</summary>
    public static bool Is(string given) => given.IndexOf(SchemeEnd, StringComparison.Ordinal) is > 1 and var end
        && !given.AsSpan(0, end).ContainsAnyExcept(SchemeLetters);

    /// <summary>What is wrong with an address; null where nothing is, and for what is none.</summary>
    public static string? Problem(string given) => !Is(given) ? null
        : Parsed(given) is not { } address ? $"{Printable(given)} is not an address"
        : address.Scheme is not ("http" or "https")
            ? $"{Printable(given)}: give an address that the store presigned (https://...), or a pipe: "
                + "aws s3 cp s3://... - | analyzer blame - --format cases"
        : address.UserInfo.Length > 0 ? $"{Printable(given)}: a name and password in an address are not taken; have it presigned"
        : null;

    /// <summary>What was given for an output: <c>@FILE</c> holds an address, which so is in no list of processes.</summary>
    /// <exception cref="IOException">The file cannot be read, or holds none.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static string? Listed(string? given)
    {
        if (given is null || !given.StartsWith('@'))
        {
            return given;
        }

        using var list = new StreamReader(given[1..]);
        string? first = ListLines.Next(list, given[1..], 1)?.Trim();
        return first is not null && Is(first) ? first : throw new IOException(
            $"--output: the first line of {given[1..]} is not an address");
    }

    /// <summary>The address without what is secret: no name, password or query. What is no address is itself.</summary>
    public static string Printable(string given) => !Is(given) ? given
        : Parsed(given) is { } address
            ? address.GetComponents(UriComponents.SchemeAndServer | UriComponents.Path, UriFormat.UriEscaped)
            : given[..(given.IndexOf(SchemeEnd, StringComparison.Ordinal) + SchemeEnd.Length)] + "...";

    /// <summary>The address; null where it is none.</summary>
    public static Uri? Parsed(string given) =>
        Uri.TryCreate(given, UriKind.Absolute, out Uri? address) && address.Host.Length > 0 ? address : null;
}
