using System.Text;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Common.Texts;

/// <summary>
/// What a text of another program tells of ISRs and DPCs: that of <c>xperf -a dpcisr</c>, or a report of LatencyMon. What is not exactly as
/// the program writes it is refused: nothing in it is guessed.
/// </summary>
/// <param name="RunTimes">By level: all together first, then by driver.</param>
/// <param name="Notes">What limits it, and where it contradicts itself, one sentence each.</param>
internal sealed record TextReport(string Path, Duration Measured, IReadOnlyList<ToldRunTimes> RunTimes, IReadOnlyList<string> Notes)
{
    /// <summary>Routines of no image; whose they are is not known, so that those of two machines are not the same.</summary>
    public const string Unknown = "Unknown";

    private const string Ending = ".txt";

    /// <summary>Most bytes that are read: eight hours on 64 CPUs.</summary>
    private const long MostBytes = 1 << 26;

    /// <summary>Most bytes that are looked at to tell a text from a trace.</summary>
    private const int MostSniffed = 1 << 16;

    /// <summary>Whether a file is a text: by what it begins with, or by its ending where it can be no trace.</summary>
    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static bool Is(string path)
    {
        if (path == PackedTrace.StandardInput || !File.Exists(path))
        {
            return false;
        }

        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] bytes = new byte[MostSniffed];
        string begin = Decoded(bytes.AsSpan(0, file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false)));
        return DpcIsrText.Is(begin) || LatencyMonText.Is(begin)
            || (path.EndsWith(Ending, StringComparison.OrdinalIgnoreCase) && !begin.Contains('\0', StringComparison.Ordinal));
    }

    /// <exception cref="IOException">It is no such text, is cut short, or cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static TextReport Read(string path)
    {
        if (new FileInfo(path).Length > MostBytes)
        {
            throw new IOException($"{path}: too large for a text of xperf or LatencyMon");
        }

        string text = Decoded(File.ReadAllBytes(path));
        try
        {
            string[] lines = text.ReplaceLineEndings("\n").Split('\n');
            return DpcIsrText.Is(text) ? new DpcIsrText(path, lines).Read()
                : LatencyMonText.Is(text) ? new LatencyMonText(path, lines).Read()
                : throw new FormatException("it is neither the text of 'xperf -a dpcisr' nor a report of LatencyMon");
        }
        catch (FormatException problem)
        {
            throw new IOException($"{path}: {problem.Message}");
        }
        catch (OverflowException)
        {
            throw new IOException($"{path}: its numbers add up to more than any machine can have");
        }
    }

    /// <summary>What PowerShell redirects is UTF-16; everything that is looked for is ASCII.</summary>
    private static string Decoded(ReadOnlySpan<byte> bytes) =>
        bytes is [0xFF, 0xFE, ..] ? Encoding.Unicode.GetString(bytes[2..])
        : bytes is [0xEF, 0xBB, 0xBF, ..] ? Encoding.UTF8.GetString(bytes[3..])
        : Encoding.UTF8.GetString(bytes);
}
