using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerShared.Inputs;
using Tracer.AnalyzerShared.Options;

namespace Tracer.AnalyzerCommand.Common;

/// <summary>Opens a trace, has it analysed with a progress bar, and tells what was wrong with it.</summary>
/// <param name="analyze">The analysis of an open trace, the text is its path: what the program does, or what a test does instead.</param>
internal sealed class TraceAnalysis(Func<string, EtlReader, BlameRequest, BlameResult> analyze)
{
    /// <summary>Analyses an open trace; times that are told by its events are looked up first.</summary>
    public BlameResult Analyze(string path, EtlReader reader, BlameRequest request) =>
        analyze(path, reader, request.Times is { } times ? request with { Times = EventTimes.In(times, reader) } : request);

    /// <param name="exit">The exit status where there is no answer.</param>
    /// <param name="problem">Why there is no answer, as the user was told; null where there is one.</param>
    /// <returns>The answer; null when there is none, which the user has then been told.</returns>
    public BlameResult? Run(string path, BlameRequest request, TextWriter error, out int exit, out string? problem)
    {
        exit = ExitCode.Failed;
        problem = null;
        try
        {
            using EtlReader reader = TraceArgument.Open(path);
            BlameResult result = ReadingProgress.Show(path, () => reader.Progress, () => Analyze(path, reader, request));
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
