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
        Func<string, EtlReader, BlameRequest, BlameResult>? analyze = null) => Run(path, request, error, out exit, out _, analyze);

    /// <param name="problem">Why there is no answer, as the user was told; null where there is one.</param>
    /// <inheritdoc cref="Run(string, BlameRequest, TextWriter, out int, Func{string, EtlReader, BlameRequest, BlameResult}?)"/>
    public static BlameResult? Run(
        string path,
        BlameRequest request,
        TextWriter error,
        out int exit,
        out string? problem,
        Func<string, EtlReader, BlameRequest, BlameResult>? analyze = null)
    {
        analyze ??= BlameAnalysis.Analyze;
        exit = ExitCode.Failed;
        problem = null;
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

            problem = $"{path}: no event could be read";
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            problem = failure.Message;
        }
        catch (MeaninglessRequestException meaningless)
        {
            problem = $"{path}: {meaningless.Message}";
            exit = ExitCode.WrongUsage;
        }

        error.WriteLine($"analyzer: {problem}");
        return null;
    }
}
