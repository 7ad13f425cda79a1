namespace Tracer.AnalyzerCommand.Common.Cases;

/// <summary>Reads the lines of a file one by one: only one of them is in memory at a time.</summary>
internal static class CaseLines
{
    private const int FirstBytes = 1 << 16;

    /// <param name="line">The line without its end.</param>
    public delegate void LineAction(ReadOnlySpan<byte> line);

    /// <summary>Reads all whole lines; empty ones are passed by.</summary>
    /// <param name="longest">Longer lines are refused, in bytes.</param>
    /// <returns>Where the last whole line ends, in bytes from where the reading began, and how many bytes follow.</returns>
    /// <exception cref="IOException">A line is too long.</exception>
    public static (long Whole, int Left) Read(Stream content, int longest, LineAction take)
    {
        byte[] buffer = new byte[FirstBytes];
        int filled = 0;
        long whole = 0;
        int read;
        while ((read = content.Read(buffer, filled, buffer.Length - filled)) > 0)
        {
            int searched = filled;
            filled += read;
            int start = 0;
            int end;
            while ((end = buffer.AsSpan(searched, filled - searched).IndexOf((byte)'\n')) >= 0)
            {
                ReadOnlySpan<byte> line = buffer.AsSpan(start, searched + end - start).TrimEnd((byte)'\r');
                start = searched + end + 1;
                searched = start;
                if (!line.IsEmpty)
                {
                    take(line);
                }
            }

            whole += start;
            buffer.AsSpan(start, filled - start).CopyTo(buffer);
            filled -= start;
            if (filled == buffer.Length)
            {
                if (buffer.Length >= longest)
                {
                    throw new IOException($"a line of more than {longest >> 20} MiB, at byte {whole}, is not a case");
                }

                Array.Resize(ref buffer, buffer.Length * 2);
            }
        }

        return (whole, filled);
    }
}
