using System.IO.Compression;
using System.Text;
using System.Text.RegularExpressions;
using Tracer.Etl.Reading;

namespace Tracer.Commands.Tests.Pack;

/// <summary>
/// Looks for secrets in the files of a pack as a curious reader would: in the bytes, in the decompressed buffers of the trace, in what is
/// base64 or gzip in a page; in UTF-8 and UTF-16, whatever the case.
/// </summary>
internal static partial class SecretSearch
{
    /// <returns>File and surroundings of each place.</returns>
    public static List<string> Find(byte[] zip)
    {
        List<string> found = [];
        using var archive = new ZipArchive(new MemoryStream(zip));
        foreach (ZipArchiveEntry entry in archive.Entries)
        {
            using Stream content = entry.Open();
            using var all = new MemoryStream();
            content.CopyTo(all);
            byte[] bytes = all.ToArray();
            Look(entry.FullName, bytes, found);
            if (entry.FullName.EndsWith(".etl", StringComparison.Ordinal))
            {
                LookInBuffers(entry.FullName, bytes, found);
            }
            else
            {
                LookInLetters(entry.FullName, bytes, found);
            }
        }

        return found;
    }

    /// <summary>Looks for secrets in bytes.</summary>
    public static void Look(string place, ReadOnlySpan<byte> bytes, List<string> found)
    {
        byte[] small = bytes.ToArray();
        foreach (ref byte letter in small.AsSpan())
        {
            letter += (byte)(letter is >= (byte)'A' and <= (byte)'Z' ? 'a' - 'A' : 0);
        }

        foreach (string mark in new[] { PlantedSecrets.Mark, PlantedSecrets.Foreign })
        {
            // Small letters of ASCII alone: the other alphabet is planted as it is.
            Look(place + " as UTF-8", small, Lower(Encoding.UTF8.GetBytes(mark)), found);
            Look(place + " as UTF-16", small, Lower(Encoding.Unicode.GetBytes(mark)), found);
        }

        foreach (byte[] number in PlantedSecrets.Numbers)
        {
            Look(place + " as a number", bytes, number, found);
        }
    }

    private static byte[] Lower(byte[] bytes) =>
        [.. bytes.Select(letter => letter is >= (byte)'A' and <= (byte)'Z' ? (byte)(letter + 32) : letter)];

    private static void Look(string place, ReadOnlySpan<byte> bytes, ReadOnlySpan<byte> mark, List<string> found)
    {
        int at = bytes.IndexOf(mark);
        if (at >= 0)
        {
            int from = Math.Max(0, at - 60);
            found.Add($"{place} at {at}: {Encoding.Latin1.GetString(bytes[from..Math.Min(bytes.Length, at + 60)]).Replace("\0", "")}");
        }
    }

    private static void LookInBuffers(string place, ReadOnlySpan<byte> bytes, List<string> found)
    {
        byte[] block = [];
        for (int at = 0; at < bytes.Length;)
        {
            EtlBufferHeader header = EtlBufferHeader.Read(bytes[at..]);
            ReadOnlySpan<byte> stored = bytes.Slice(at, (int)header.BufferSize);
            if (header.IsCompressed)
            {
                int end = BufferDecompression.Decompress(header, stored, ref block, at, new TraceHealth());
                Assert.Equal((int)header.FilledBytes, end);
                // The header's place holds whatever memory held before.
                Look($"{place}, buffer at {at}", block.AsSpan(EtlBufferHeader.HeaderBytes..end), found);
            }

            at += stored.Length;
        }
    }

    private static void LookInLetters(string place, byte[] bytes, List<string> found)
    {
        foreach (Match run in Base64().Matches(Encoding.UTF8.GetString(bytes)))
        {
            if (run.Length % 4 != 0)
            {
                continue;
            }

            byte[] decoded = Convert.FromBase64String(run.Value);
            Look(place + ", in base64", decoded, found);
            if (decoded is [0x1F, 0x8B, ..])
            {
                using var unpacked = new MemoryStream();
                using (var zip = new GZipStream(new MemoryStream(decoded), CompressionMode.Decompress))
                {
                    zip.CopyTo(unpacked);
                }

                Look(place + ", in base64 and gzip", unpacked.ToArray(), found);
            }
        }
    }

    [GeneratedRegex("[A-Za-z0-9+/]{60,}={0,2}")]
    private static partial Regex Base64();
}
