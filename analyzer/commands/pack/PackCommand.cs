using System.CommandLine;
using Tracer.Analysis;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerShared.Inputs;
using Tracer.AnalyzerShared.Options;
using Tracer.AnalyzerShared.Redact;

namespace Tracer.AnalyzerCommand.Commands.Pack;

/// <summary><c>analyzer pack</c>: the evidence to send: slice, reports, versions and a letter in one .zip, without names.</summary>
internal sealed class PackCommand
{
    private const int DefaultEpisodes = 3;
    private const int MostEpisodes = 1000;
    private const int DefaultMegabytes = 20;
    private const int MostMegabytes = 500;

    private readonly Argument<string> _trace = TraceArgument.Create();
    private readonly BlameOptions _options = new();

    private readonly Option<long?> _episodes = NumberOption.Create(
        "--episodes",
        "N",
        $"Pack the N worst episodes of the one who is to blame, and what lies between them [default: {DefaultEpisodes}].",
        1,
        MostEpisodes);

    private readonly Option<long?> _maxSize = NumberOption.Create(
        "--max-size", "MB", "Largest pack, in MB; fewer episodes are packed where it would be larger.", 1, MostMegabytes, DefaultMegabytes);

    private readonly Option<bool> _keepNames = new("--keep-names")
    {
        Description = "Keep all names: of processes, people, files, computer and network.",
    };

    private readonly Option<bool> _showRedactions = new("--show-redactions")
    {
        Description = "List each name that was kept or replaced; the list goes to the screen, not into the pack.",
    };

    private readonly Option<string?> _file = new("--output", "-o")
    {
        Description = "The pack to write, such as case.zip.",
        HelpName = "FILE",
        Required = true,
    };

    public static Command Create() => new PackCommand().Make();

    private ExampleCommand Make()
    {
        var command = new ExampleCommand(
            "pack",
            "Pack the evidence for a vendor: the worst episodes as a small trace, the reports, all versions and a letter, without the "
            + "names of people, programs and computers.",
            "analyzer pack trace.etl -o case.zip",
            "analyzer pack trace.etl --episodes 10 --threshold 1ms --show-redactions -o case.zip",
            "analyzer pack trace.etl --from 12s --to 14s --keep-names -o case.zip")
        {
            _trace, _episodes,
        };
        foreach (Option option in _options.All.Concat([_maxSize, _keepNames, _showRedactions, _file]))
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            string path = TraceInputs.Single(parse, _trace, out string? several);
            string target = parse.GetValue(_file)!;
            string? problem = several
                ?? _options.Problem(parse)
                ?? Problem(parse)
                ?? OutputFile.Problem("--output", target, [path]);
            return problem is null ? Run(parse, path, target) : WrongUsage.Tell("pack", problem, parse.InvocationConfiguration.Error);
        });
        return command;
    }

    private string? Problem(ParseResult parse)
    {
        if (parse.GetValue(_episodes) is not null && _options.HasTimes(parse))
        {
            return "--episodes says which part by itself; leave --from, --to and --at out";
        }

        return parse.GetValue(_keepNames) && parse.GetValue(_showRedactions)
            ? "--keep-names replaces nothing that --show-redactions could list; leave one out"
            : null;
    }

    private int Run(ParseResult parse, string path, string target)
    {
        InvocationConfiguration console = parse.InvocationConfiguration;
        try
        {
            using EtlReader reader = TraceArgument.Open(path);
            using var output = new OutputFile(target);
            PackedCase packed = ReadingProgress.Show(path, () => reader.Progress, () => Pack(parse, path, reader));
            DamageWarning.Write(path, reader, console.Error);
            output.Content.Write(packed.Bytes);
            output.Keep();
            if (!output.IsStandardOutput)
            {
                PackText.Write(target, packed, console.Output);
                if (packed.Contents.Redaction is { } redaction && parse.GetValue(_showRedactions))
                {
                    PackText.WriteRedactions(redaction, console.Output);
                }
            }

            return ExitCode.Done;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            console.Error.WriteLine($"analyzer: {failure.Message}");
            return ExitCode.Failed;
        }
        catch (MeaninglessRequestException problem)
        {
            console.Error.WriteLine($"analyzer: {path}: {problem.Message}");
            return ExitCode.WrongUsage;
        }
    }

    private PackedCase Pack(ParseResult parse, string path, EtlReader reader)
    {
        BlameRequest request = _options.Request(parse, withStrips: false) with { WithTables = false };
        request = request.Times is { } times ? request with { Times = EventTimes.In(times, reader) } : request;
        if (UnjudgedTrace.WhyWithoutClock(reader) is { } why)
        {
            throw new IOException($"{path}: nothing can be judged, because {why}");
        }

        long megabytes = parse.GetValue(_maxSize)!.Value;
        (PackCutting cutting, List<BlameRequest> parts) = Plan(parse, path, reader, request, megabytes * 1_000_000);
        if (_options.HasTimes(parse))
        {
            return cutting.Pack(request)
                ?? throw new IOException($"{path}: this part is larger than {megabytes} MB: give a larger --max-size, or a shorter part");
        }

        PackedCase packed = parts.Select(cutting.Pack).FirstOrDefault(one => one is not null) ?? throw new IOException(
            $"{path}: a pack of its worst episode alone is larger than {megabytes} MB: give a larger --max-size, or a shorter part "
            + "with --from and --to");

        // A few episodes may not show what all of them do: then all of it is packed where it is small enough.
        return cutting.SaysTheSame(packed) ? packed
            : cutting.Pack(request) is { } all && cutting.SaysTheSame(all) ? all
            : packed;
    }

    /// <summary>
    /// Judges the whole trace; its episodes are needed for no longer than this method runs, and are most of what the command would hold.
    /// </summary>
    /// <returns>What cuts, and the parts to be tried in turn where no times were named.</returns>
    private (PackCutting Cutting, List<BlameRequest> Parts) Plan(
        ParseResult parse, string path, EtlReader reader, BlameRequest request, long mostBytes)
    {
        BlameReport whole = BlameAnalysis.Analyze(path, reader, request).Report;
        if (whole.Trace.Events == 0)
        {
            throw new IOException($"{path}: no event could be read");
        }

        List<BlameRequest> parts = [];
        for (int most = _options.HasTimes(parse) ? 0 : (int)(parse.GetValue(_episodes) ?? DefaultEpisodes); most > 0; most /= 2)
        {
            parts.Add(PackPart.Of(whole, request, most) ?? throw new IOException(
                $"{path}: there is no episode of {request.Threshold} or more to pack; lower --threshold, or name a part with --from "
                + "and --to"));
        }

        Redaction? redaction = parse.GetValue(_keepNames) ? null : new Redaction(reader, whole);
        return (new PackCutting(path, reader, whole, redaction, mostBytes), parts);
    }
}
