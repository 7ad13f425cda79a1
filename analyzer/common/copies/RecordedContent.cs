using System.Security.Cryptography;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Common.Copies;

/// <summary>
/// Tells which files hold the same: by what they hold once it is unpacked, whatever they are called and however they are packed, so that
/// copies, hard links and links are one recording. A part of a trace beside the trace counts with it (<see cref="TraceParts"/>).
/// </summary>
/// <remarks>
/// Of each file the first <see cref="BeginBytes"/> are read: the header with the moment and the name of the session is in them. Only files
/// that begin alike, and whose lengths, where they are not packed, are equal, are read to their ends, once each: the larger part of what a
/// copy costs is its analysis, which it is spared.
/// </remarks>
internal static class RecordedContent
{
    private const int BeginBytes = 1 << 16;

    private const int ReadBytes = 1 << 20;

    /// <summary>So many are looked at side by side: each waits for its disk or server.</summary>
    private const int ManyFiles = 64;

    /// <summary>Separates the inputs that count from their copies.</summary>
    /// <param name="paths">Files; of what is none, or cannot be read, nothing is known, and it counts.</param>
    /// <returns>Those that count, and the others, both in their order.</returns>
    public static (string[] Counting, InputCopy[] Copies) Among(IReadOnlyList<string> paths) =>
        Among(paths, RegularBytes, PackedTrace.OpenContent);

    /// <summary>Separates the inputs that count from their copies, as above.</summary>
    /// <param name="lengthOf">The length of a file as it is; null for what must not be opened before its turn.</param>
    /// <param name="open">Opens what is in a file, unpacked: what is not packed can seek.</param>
    public static (string[] Counting, InputCopy[] Copies) Among(
        IReadOnlyList<string> paths, Func<string, long?> lengthOf, Func<string, Stream> open)
    {
        if (paths.Count < 2)
        {
            return ([.. paths], []);
        }

        Begin?[] begins = paths.Count < ManyFiles
            ? [.. paths.Select(path => BeginOf(path, lengthOf, open))]
            : [.. paths.AsParallel().AsOrdered().Select(path => BeginOf(path, lengthOf, open))];
        int[] firsts = [.. Enumerable.Range(0, paths.Count)];
        foreach (IGrouping<string, int> alike in firsts.Where(index => begins[index] is not null).GroupBy(index => begins[index]!.Digest))
        {
            Tell([.. alike], index => begins[index]!.Length, index => WholeDigest(paths[index], open), firsts);
        }

        InputCopy[] copies =
        [
            .. paths.Select((path, index) => new InputCopy(path, paths[firsts[index]])).Where((_, index) => firsts[index] != index),
            .. Enumerable.Range(0, paths.Count).Where(index => firsts[index] == index && begins[index]?.Session is not null)
                .GroupBy(index => begins[index]!.Session).Where(session => session.Count() > 1)
                .SelectMany(session => Parts([.. session.Select(index => paths[index])], open)),
        ];
        HashSet<string> parts = [.. copies.Where(copy => copy.IsPart).Select(copy => copy.Path)];
        return ([.. paths.Where((path, index) => firsts[index] == index && !parts.Contains(path))], copies);
    }

    private static InputCopy[] Parts(string[] paths, Func<string, Stream> open)
    {
        try
        {
            return [.. TraceParts.Among(paths, open)];
        }
        catch (Exception failure) when (IsOfReading(failure) || failure is EtlFormatException)
        {
            return [];
        }
    }

    private static void Tell(int[] alike, Func<int, long?> lengthOf, Func<int, string?> digestOf, int[] firsts)
    {
        bool hasPacked = alike.Any(index => lengthOf(index) is null);
        Dictionary<string, int> known = [];
        foreach (int index in alike)
        {
            bool mayEqual = hasPacked ? alike.Length > 1 : alike.Count(other => lengthOf(other) == lengthOf(index)) > 1;
            if (mayEqual && digestOf(index) is { } digest && !known.TryAdd(digest, index))
            {
                firsts[index] = known[digest];
            }
        }
    }

    /// <summary>How a file begins.</summary>
    /// <param name="Length">How long it is once unpacked; null where that shows at its end only.</param>
    /// <param name="Session">What its parts have in common with it; null where it does not begin as a trace.</param>
    private sealed record Begin(string Digest, long? Length, TraceSession? Session);

    private static Begin? BeginOf(string path, Func<string, long?> lengthOf, Func<string, Stream> open)
    {
        try
        {
            if (lengthOf(path) is not { } length)
            {
                return null;
            }

            using Stream content = open(path);
            byte[] begin = new byte[BeginBytes];
            int read = content.ReadAtLeast(begin, begin.Length, throwOnEndOfStream: false);
            return new Begin(
                Digest(SHA256.HashData(begin.AsSpan(0, read))), content.CanSeek ? length : null, TraceParts.SessionOf(begin[..read]));
        }
        catch (Exception failure) when (IsOfReading(failure))
        {
            return null; // Opening it for its analysis tells what is wrong.
        }
    }

    private static string? WholeDigest(string path, Func<string, Stream> open)
    {
        try
        {
            using Stream content = open(path);
            using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
            byte[] some = new byte[ReadBytes];
            int read;
            while ((read = content.Read(some)) > 0)
            {
                hash.AppendData(some, 0, read);
            }

            return Digest(hash.GetHashAndReset());
        }
        catch (Exception failure) when (IsOfReading(failure))
        {
            return null;
        }
    }

    /// <summary>The length of a file; null for pipes, devices, addresses and what is not there: a pipe can be read only once.</summary>
    private static long? RegularBytes(string path)
    {
        if (path == PackedTrace.StandardInput)
        {
            return null;
        }

        // What a link leads to is meant; a pipe has no length.
        var file = new FileInfo(path);
        return file.Exists && (file.ResolveLinkTarget(returnFinalTarget: true) as FileInfo ?? file) is { Length: > 0 and var length }
            ? length
            : null;
    }

    private static bool IsOfReading(Exception failure) =>
        failure is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException or InvalidDataException;

    private static string Digest(ReadOnlySpan<byte> digest) => Convert.ToHexStringLower(digest);
}
