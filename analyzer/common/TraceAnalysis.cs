using Tracer.Analysis;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerShared.Inputs;
using Tracer.AnalyzerShared.Options;

namespace Tracer.AnalyzerCommand.Common;

/// <summary>Opens a trace, has it analysed with a progress bar, and tells what was wrong with it.</summary>
internal static class TraceAnalysis
{
    /// <param name="exit">The exit status where there is no answer.</param>
    /// <param name="analyze">The analysis, where a test has one of its own.</param>
    /// <returns>The answer; null when there is none, which the user has then been told.</returns>
    public static BlameResult? Run(
        string path,
        BlameRequest request,
        TextWriter error,
        out int exit,
        Func<string, EtlReader, BlameRequest, BlameResult>? analyze = null)
    {
        analyze ??= BlameAnalysis.Analyze;
        exit = ExitCode.Failed;
        try
        {
            using EtlReader reader = TraceArgument.Open(path);
            BlameResult result = ReadingProgress.Show(path, () => reader.Progress, () => analyze(
                path, reader, request.Times is { } times ? request with { Times = EventTimes.In(times, reader) } : request));
            DamageWarning.Write(path, reader, error);
            if (result.Report.Trace.Events > 0)
            {
                return result;
            }

            error.WriteLine($"analyzer: {path}: no event could be read");
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            error.WriteLine($"analyzer: {failure.Message}");
        }
        catch (MeaninglessRequestException problem)
        {
            error.WriteLine($"analyzer: {path}: {problem.Message}");
            exit = ExitCode.WrongUsage;
        }

        return null;
    }
}
