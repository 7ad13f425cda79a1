using System.IO.Compression;
using ZstdSharp;
using ZstdSharp.Unsafe;

namespace Tracer.AnalyzerShared.Inputs;

/// <summary>
/// Opens traces as people mail them: packed by gzip or zstd, or alone in a .zip. The first bytes tell, not the name. What is unpacked is
/// read as from a pipe, so it is in memory piece by piece only, and in a temporary file that is gone with the process where it is read
/// twice.
/// </summary>
internal static class PackedTrace
{
    /// <summary>What stands for standard input in the place of a path.</summary>
    public const string StandardInput = "-";

    /// <summary>The directory of a .zip is read whole: so much of it, which is some ten thousand files.</summary>
    private const int MaximumDirectoryBytes = 4 * 1024 * 1024;

    /// <summary>A file may ask for so much memory, 2 to this power of bytes: what zstd itself grants unless it is told otherwise.</summary>
    private const int MostWindowBits = 27;

    private const int LongestMagic = 6;

    /// <summary>Packers that this program does not read, with what unpacks them.</summary>
    private static readonly (byte[] Magic, string Name, string Unpacker)[] Others =
    [
        ([0xFD, (byte)'7', (byte)'z', (byte)'X', (byte)'Z', 0], "xz", "xz -dk"),
        ([(byte)'7', (byte)'z', 0xBC, 0xAF, 0x27, 0x1C], "7-Zip", "7z x"),
        ([(byte)'B', (byte)'Z', (byte)'h'], "bzip2", "bunzip2 -k"),
        ([(byte)'M', (byte)'S', (byte)'C', (byte)'F'], "a cabinet", "expand -F:*"),
        ([(byte)'R', (byte)'a', (byte)'r', (byte)'!'], "RAR", "unrar x"),
    ];

    /// <exception cref="IOException">It is no trace, holds none, or cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static EtlReader Open(string path)
    {
        if (Directory.Exists(path))
        {
            return EtlReader.Open(path); // Tells what it is.
        }

        if (RawFileName.Open(path) is { } raw)
        {
            var named = new FileStream(raw, FileAccess.Read, bufferSize: 0);
            return named.CanSeek ? Open(named, path, makeCopy: null) : Open(named, path);
        }

        var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        if (!file.CanSeek)
        {
            return Open(file, path);
        }

        if (UnpackedFile(file, path) is { } unpacked)
        {
            return EtlReader.Open(unpacked, path);
        }

        file.Dispose();
        return EtlReader.Open(path);
    }

    /// <summary>Opens a trace in a stream that can seek, packed or not.</summary>
    /// <param name="makeCopy">Makes what is unpacked into, as of <see cref="EtlReader.Open(Stream, string, Func{Stream})"/>.</param>
    /// <exception cref="IOException">It is no trace, holds none, or cannot be read.</exception>
    public static EtlReader Open(Stream file, string name, Func<Stream>? makeCopy) =>
        EtlReader.Open((Stream?)UnpackedFile(file, name) ?? file, name, makeCopy);

    /// <summary>Opens what comes through a pipe, packed or not.</summary>
    /// <exception cref="IOException">It is no trace, or cannot be read.</exception>
    public static EtlReader Open(Stream pipe, string name)
    {
        byte[] start = new byte[LongestMagic];
        int read = pipe.ReadAtLeast(start, start.Length, throwOnEndOfStream: false);
        var whole = new BegunStream(start.AsMemory(0, read), pipe);
        return EtlReader.Open((Stream?)Unpacked(start.AsSpan(0, read), whole, name) ?? whole, name);
    }

    /// <summary>Opens the bytes of a file as they were recorded: unpacked, where it is packed.</summary>
    /// <returns>The file itself, which can seek, or what is inside, which cannot.</returns>
    /// <exception cref="IOException">It cannot be read, or is packed by a packer that is not read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static Stream OpenContent(string path) => OpenContent(
        new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0), path);

    /// <summary>The bytes of a file as they were recorded, as above.</summary>
    /// <param name="file">The file at its start; it can seek.</param>
    /// <exception cref="IOException">It cannot be read, or is packed by a packer that is not read.</exception>
    public static Stream OpenContent(Stream file, string name) => (Stream?)UnpackedFile(file, name) ?? file;

    /// <summary>What is inside of a file, which is closed where that cannot be told; null where it is not packed.</summary>
    private static UnpackingStream? UnpackedFile(Stream file, string name)
    {
        try
        {
            byte[] start = new byte[LongestMagic];
            int read = file.ReadAtLeast(start, start.Length, throwOnEndOfStream: false);
            file.Position = 0;
            return Unpacked(start.AsSpan(0, read), file, name);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>What is inside; null where the input is not packed.</summary>
    private static UnpackingStream? Unpacked(ReadOnlySpan<byte> start, Stream input, string name)
    {
        if (start.StartsWith((ReadOnlySpan<byte>)[0x1F, 0x8B, 8]))
        {
            return new UnpackingStream(new GZipStream(input, CompressionMode.Decompress), input, name);
        }

        if (start.StartsWith((ReadOnlySpan<byte>)[0x28, 0xB5, 0x2F, 0xFD]))
        {
            var zstd = new DecompressionStream(input, checkEndOfStream: false);
            zstd.SetParameter(ZSTD_dParameter.ZSTD_d_windowLogMax, MostWindowBits);
            return new UnpackingStream(zstd, input, name);
        }

        if (start.StartsWith("PK\x03\x04"u8) || start.StartsWith("PK\x05\x06"u8))
        {
            return input.CanSeek
                ? OfZip(input, name)
                : throw new EtlFormatException(
                    $"{name} is a .zip, whose directory stands at its end: give it as a file, not through a pipe");
        }

        foreach ((byte[] magic, string packer, string unpacker) in Others)
        {
            if (start.StartsWith(magic))
            {
                throw new EtlFormatException(
                    $"{name} is packed by {packer}, which can't be read: unpack it ({unpacker}) and name the .etl file");
            }
        }

        return null;
    }

    private static UnpackingStream OfZip(Stream input, string name)
    {
        try
        {
            var directory = new DirectoryBytes(input, MaximumDirectoryBytes, name);
            var archive = new ZipArchive(directory, ZipArchiveMode.Read);
            ZipArchiveEntry[] traces = [.. archive.Entries.Where(IsTrace)];
            directory.End();
            return traces switch
            {
                [{ IsEncrypted: true }] => throw new EtlFormatException(
                    $"{name} is protected by a password: unpack it and name the .etl file"),
                [{ } one] => new UnpackingStream(one.Open(), input, name) { Checksum = one.Crc32 },
                [] => throw new EtlFormatException($"{name} holds no .etl file: pack the trace itself, or unpack it and name the trace"),
                _ => throw new EtlFormatException(
                    $"{name} holds {traces.Length} traces: unpack it and name those that are meant "
                    + $"({SomeNames.Of([.. traces.Select(one => one.FullName)])})"),
            };
        }
        catch (InvalidDataException damage)
        {
            throw new EtlFormatException($"{name} is a damaged or unknown kind of .zip: {damage.Message}");
        }
    }

    private static bool IsTrace(ZipArchiveEntry entry) =>
        entry.Name.EndsWith(".etl", StringComparison.OrdinalIgnoreCase)
        // What macOS adds is called like the file that it is about.
        && !entry.Name.StartsWith("._", StringComparison.Ordinal);
}
