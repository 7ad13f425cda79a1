using System.CommandLine;
using Tracer.Analysis;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerShared.Inputs;
using Tracer.AnalyzerShared.Options;

namespace Tracer.AnalyzerCommand.Commands.Slice;

/// <summary><c>analyzer slice</c>: a part of a trace as a trace of its own, of which blame says the same.</summary>
internal static class SliceCommand
{
    public static Command Create()
    {
        Argument<string> trace = TraceArgument.Create();
        Option<long?> id = NumberOption.Create(
            "--episode",
            "N",
            $"Cut out the episode of this number, with {Defaults.BeforeEpisode} before it and {Defaults.BehindEpisode} after it.",
            0,
            int.MaxValue);
        var options = new BlameOptions();
        Option<string?> file = new("--output", "-o") { Description = "The trace to write.", HelpName = "FILE", Required = true };
        var command = new ExampleCommand(
            "slice",
            "Cut a part out of a trace: a small .etl file about which blame says what it says about that part of the whole.",
            "analyzer slice trace.etl --from 12s --to 14s -o small.etl",
            "analyzer slice trace.etl --episode 3 -o small.etl")
        {
            trace, id,
        };
        foreach (Option option in options.All.Append(file))
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            string path = TraceInputs.Single(parse, trace, out string? several);
            string target = parse.GetValue(file)!;
            string? problem = several
                ?? options.Problem(parse)
                ?? options.ProblemWithPart(parse, parse.GetValue(id))
                ?? OutputFile.Problem("--output", target, [path]);
            if (problem is not null)
            {
                return WrongUsage.Tell("slice", problem, error);
            }

            BlameRequest request = options.Request(parse, withStrips: false) with { WithTables = false };
            return Run(path, target, request, (int?)parse.GetValue(id), parse.InvocationConfiguration);
        });
        return command;
    }

    private static int Run(string path, string target, BlameRequest request, int? episode, InvocationConfiguration console)
    {
        TextWriter error = console.Error;
        try
        {
            using EtlReader reader = TraceArgument.Open(path);
            request = request.Times is { } times ? request with { Times = EventTimes.In(times, reader) } : request;
            using var output = new OutputFile(target, mustSeek: true);
            SliceResult result = ReadingProgress.Show(
                path, () => reader.Progress, () => TraceSlicing.Cut(path, reader, request, episode, output.Content));
            DamageWarning.Write(path, reader, error);
            long bytes = output.Content.Length;
            output.Keep();
            if (!output.IsStandardOutput)
            {
                SliceText.Write(target, bytes, result, console.Output);
            }

            return ExitCode.Done;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            error.WriteLine($"analyzer: {failure.Message}");
            return ExitCode.Failed;
        }
        catch (MeaninglessRequestException problem)
        {
            error.WriteLine($"analyzer: {path}: {problem.Message}");
            return ExitCode.WrongUsage;
        }
    }
}
