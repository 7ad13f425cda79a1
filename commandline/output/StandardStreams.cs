namespace Tracer.CommandLine;

/// <summary>
/// Standard streams that whoever started the program closed. The runtime then has files of its own in their places: a read from such a one
/// never ends.
/// </summary>
public static class StandardStreams
{
    /// <summary>O_CLOEXEC of Linux, in octal: no stream that was handed over has it.</summary>
    private const long CloseOnExec = 0x80000;

    /// <exception cref="IOException">It is closed.</exception>
    public static Stream OpenInput() => IsClosed(0)
        ? throw new IOException("standard input is closed: give the trace as a file, or through a pipe")
        : Console.OpenStandardInput();

    /// <summary>What is printed; what goes wrong says so.</summary>
    public static Stream OpenOutput() => IsClosed(1)
        ? new ClosedStream()
        : new ToldStream(OutputFile.StandardOutput, Console.OpenStandardOutput());

    private static bool IsClosed(int descriptor)
    {
        try
        {
            string? flags = OperatingSystem.IsLinux()
                ? File.ReadLines($"/proc/self/fdinfo/{descriptor}")
                    .FirstOrDefault(line => line.StartsWith("flags:", StringComparison.Ordinal))
                : null;
            return flags is not null && (Convert.ToInt64(flags["flags:".Length..].Trim(), 8) & CloseOnExec) != 0;
        }
        catch (Exception fault) when (fault is FileNotFoundException or DirectoryNotFoundException)
        {
            return Directory.Exists("/proc/self/fdinfo");
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or FormatException)
        {
            return false;
        }
    }

    /// <summary>Nobody takes what is written.</summary>
    private sealed class ClosedStream : MemoryStream
    {
        public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

        public override void Write(ReadOnlySpan<byte> buffer) =>
            throw new IOException("standard output is closed: write to a file with -o FILE");
    }
}
