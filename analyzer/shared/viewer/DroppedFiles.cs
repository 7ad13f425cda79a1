using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerShared.Viewer;

/// <summary>A file that the user gave to the page.</summary>
/// <param name="Name">Its name, without a folder: a browser tells none.</param>
/// <param name="Open">Opens it: a stream that can seek.</param>
internal sealed record DroppedFile(string Name, Func<Stream> Open);

/// <summary>
/// What the user gave to the page at once: one trace, and files with names of functions. Their first bytes tell which is which.
/// </summary>
internal sealed record DroppedFiles(DroppedFile Trace, IReadOnlyList<DroppedFile> Symbols)
{
    private const int LongestMagic = 24;

    /// <summary>Tells the files apart.</summary>
    /// <exception cref="IOException">There is no trace, or more than one; or a file cannot be read.</exception>
    public static DroppedFiles Of(IReadOnlyList<DroppedFile> files)
    {
        ILookup<bool, DroppedFile> kinds = files.ToLookup(HasSymbols);
        DroppedFile[] traces = [.. kinds[false]];
        return traces switch
        {
            [{ } one] => new DroppedFiles(one, [.. kinds[true]]),
            [] => throw new EtlFormatException($"{SomeNames.Of([.. files.Select(file => file.Name)])}: names of functions, but no trace; "
                + "give the trace at the same time"),
            _ => throw new EtlFormatException($"these are {Counted.Of(traces.Length, "trace")}, and the page shows one: "
                + $"{SomeNames.Of([.. traces.Select(file => file.Name)])}; give them one after the other"),
        };
    }

    /// <summary>Whether a file is a PDB (MSF 7.00, or portable) or an image, rather than a trace.</summary>
    private static bool HasSymbols(DroppedFile file)
    {
        using Stream stream = file.Open();
        byte[] start = new byte[LongestMagic];
        ReadOnlySpan<byte> read = start.AsSpan(0, stream.ReadAtLeast(start, start.Length, throwOnEndOfStream: false));
        return read.StartsWith("Microsoft C/C++ MSF 7.00"u8) || read.StartsWith("BSJB"u8) || read.StartsWith("MZ"u8)
            || file.Name.EndsWith(".pdb", StringComparison.OrdinalIgnoreCase);
    }
}
