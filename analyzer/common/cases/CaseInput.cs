using Tracer.AnalyzerCommand.Common.Objects;

namespace Tracer.AnalyzerCommand.Common.Cases;

/// <summary>A trace that is to be judged.</summary>
/// <param name="Bytes">Its length; 0 where it is not known.</param>
/// <param name="Modified">When it was written last, as text; empty where it is not known.</param>
internal readonly record struct CaseInput(string Path, long Bytes, string Modified)
{
    /// <param name="path">The trace: a file, standard input or an address.</param>
    public static CaseInput Of(string path)
    {
        try
        {
            if (path != TraceArgument.StandardInput && !ObjectAddress.Is(path) && new FileInfo(path) is { Exists: true } file)
            {
                return new CaseInput(path, file.Length, file.LastWriteTimeUtc.ToString("O", CultureInfo.InvariantCulture));
            }
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or ArgumentException)
        {
            // Opening it tells what is wrong.
        }

        return new CaseInput(path, 0, "");
    }

    /// <summary>The trace as an earlier run noted it: of an address, what is presigned is another each time.</summary>
    public CaseInput Noted => this with { Path = ObjectAddress.Printable(Path) };
}
