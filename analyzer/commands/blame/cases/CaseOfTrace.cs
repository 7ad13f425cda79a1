using System.Text;
using System.Text.RegularExpressions;
using Tracer.Analysis.Latencies;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Copies;
using Tracer.AnalyzerCommand.Common.Objects;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Commands.Blame.Cases;

/// <summary>Makes the case of one trace: who is to blame in it, and what tells its machine from others.</summary>
internal static partial class CaseOfTrace
{
    /// <summary>What of a file that is no trace tells it from others.</summary>
    private const int BytesOfUnreadable = 1 << 16;

    /// <param name="given">The trace: a file, standard input or an address.</param>
    /// <param name="machine">What the machine is called; null for what the trace says.</param>
    /// <param name="followsToOtherHosts">Whether an address may redirect to another host.</param>
    public static CaseReport Read(
        string given, BlameRequest request, CaseNames names, string? machine, bool followsToOtherHosts,
        TraceAnalysis analysis, TextWriter error)
    {
        string path = ObjectAddress.Printable(given);
        try
        {
            using EtlReader reader = ObjectAddress.Is(given) ? ObjectStore.Open(given, followsToOtherHosts) : TraceArgument.Open(given);
            BlameResult result = analysis.Analyze(path, reader, request with { WithMachine = true });
            DamageWarning.Write(path, reader, error);
            if (result.Report.Trace.Events == 0)
            {
                error.WriteLine($"analyzer: {path}: no event could be read");
                return Unjudged(path, request, names, new CaseProblem("empty", "no event could be read"));
            }

            LatencyFindings latencies = LatencyAnalysis.Measure(path, reader, new LatencyRequest { Splits = [] });
            return Of(path, result, latencies, request, names, machine);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            error.WriteLine($"analyzer: {failure.Message}");
            string kind = failure is ObjectUnreachableException ? CaseProblem.Unreachable : "unreadable";
            return Unjudged(path, request, names, new CaseProblem(kind, Message(failure, path, names)));
        }
        catch (MeaninglessRequestException problem)
        {
            error.WriteLine($"analyzer: {path}: {problem.Message}");
            return Unjudged(path, request, names, new CaseProblem("refused", problem.Message));
        }
#pragma warning disable CA1031 // Whatever it is, the other traces can be judged.
        catch (Exception fault) when (fault is not OutOfMemoryException)
#pragma warning restore CA1031
        {
            error.WriteLine($"analyzer: {path}: {fault}");
            return Unjudged(path, request, names, new CaseProblem("failed", "the analysis failed by a defect of its own"));
        }
    }

    private static string Message(Exception failure, string path, CaseNames names) =>
        names.AreShown ? failure.Message : WithoutPath(failure.Message, path);

    private static CaseReport Of(
        string path, BlameResult result, LatencyFindings latencies, BlameRequest request, CaseNames names, string? machine)
    {
        BlameReport report = result.Report;
        TraceSummary trace = report.Trace;
        return new CaseReport
        {
            Id = ToldRecording.Id(trace, result.Machine?.Computer),
            Machine = machine is null ? names.Machine(result.Machine?.Computer) : names.Machine(machine),
            Trace = names.AreShown ? path : null,
            RecordedUtc = trace.StartUtc,
            Problem = null,
            Duration = trace.Duration,
            Slice = trace.Slice,
            Losses = new CaseLosses(trace.Events, trace.EventsLost, trace.BuffersLost, trace.DamagedBuffers, trace.Truncated),
            Threshold = request.Threshold,
            MinPriority = request.MinPriority,
            Verdict = report.Summary.Verdict,
            Probes = report.Summary.Probes,
            Episodes = report.Summary.Episodes,
            DeadlinesMissed = report.Episodes.Count(episode => episode is { Secondary: false, MissedDeadline: true }),
            Glitches = report.Summary.Glitches?.All ?? 0,
            OverThreshold = report.Summary.OverThreshold,
            Worst = report.Summary.Worst,
            Culprits =
            [
                .. report.Culprits.Take(CaseReport.MostCulprits).Select(culprit => new CaseCulprit
                {
                    Kind = culprit.Kind,
                    Name = culprit.Kind == CulpritKind.Process ? names.Program(culprit.Name) : culprit.Name,
                    Mechanism = culprit.Mechanism,
                    Through = culprit.Through,
                    Share = culprit.Share,
                    Blamed = culprit.Blamed,
                    Episodes = culprit.Episodes,
                    Confidence = culprit.Confidence,
                    BeatSeconds = culprit.Period?.Seconds,
                    Version = culprit.Image?.Version,
                    Device = names.Device(culprit.Device),
                }),
            ],
            Chains = CaseChains.Of(report, names),
            System = new CaseSystem
            {
                OsBuild = trace.OsBuild,
                Cpus = trace.Cpus,
                Cpu = trace.Machine.Cpu,
                MemoryMb = trace.Machine.MemoryMb,
                Hypervisor = trace.Machine.Hypervisor,
                Model = trace.Machine.Model,
                Firmware = trace.Machine.Firmware,
            },
            Drivers =
            [
                .. (result.Machine?.Drivers ?? []).Select(file => new CaseDriver(file.Name, VersionOf(file))).Distinct()
                    .Take(CaseReport.MostDrivers),
            ],
            Latencies =
            [
                .. latencies.Parts.Where(part => part.Part == LatencyPart.All).Select(part => new CaseLatency(
                    part.Kind,
                    part.Source,
                    part.Histogram.Count,
                    new Duration(part.Histogram.Maximum),
                    HdrEncoding.Encode(part.Histogram))),
            ],
        };
    }

    /// <summary>What tells the builds of a driver apart.</summary>
    private static string? VersionOf(DriverFile file) => file.Version
        ?? file.Timestamp?.ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture)
        ?? file.PdbId;

    private static CaseReport Unjudged(string path, BlameRequest request, CaseNames names, CaseProblem problem) => new()
    {
        Id = IdOfFile(path, problem),
        Machine = null,
        Trace = names.AreShown ? path : null,
        RecordedUtc = null,
        Problem = problem,
        Duration = null,
        Losses = new CaseLosses(0, 0, 0, 0, false),
        Threshold = request.Threshold,
        MinPriority = request.MinPriority,
        Verdict = null,
        Probes = 0,
        Episodes = 0,
        OverThreshold = Duration.Zero,
        Worst = null,
        Culprits = [],
        Chains = [],
        System = new CaseSystem
        {
            OsBuild = null,
            Cpus = null,
            Cpu = null,
            MemoryMb = null,
            Hypervisor = null,
            Model = null,
            Firmware = null,
        },
        Drivers = [],
        Latencies = [],
    };

    private static string IdOfFile(string path, CaseProblem problem)
    {
        try
        {
            if (path != TraceArgument.StandardInput)
            {
                using FileStream file = File.OpenRead(path);
                byte[] begin = new byte[BytesOfUnreadable];
                int read = file.ReadAtLeast(begin, begin.Length, throwOnEndOfStream: false);
                return ToldRecording.Digits([.. begin.AsSpan(0, read), .. BitConverter.GetBytes(file.CanSeek ? file.Length : read)]);
            }
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // Nothing of it can be read: its place is all there is.
        }

        return ToldRecording.Digits(Encoding.UTF8.GetBytes($"{path}\n{problem.Message}"));
    }

    /// <summary>
    /// A message says which file is meant, and what is in a packed one; a case does not. A name without a folder may be a word: it is
    /// looked for where messages have it, at their begin and in quotation marks.
    /// </summary>
    internal static string WithoutPath(string message, string path)
    {
        foreach (string name in new[] { Path.GetFullPath(path), path, Path.GetFileName(path) })
        {
            if (name.Length > 0)
            {
                string escaped = Regex.Escape(name);
                message = Regex.Replace(
                    message, $@"^{escaped}(?=[: ,])|(?<=')({escaped})(?=')", "the trace", RegexOptions.CultureInvariant);
            }
        }

        return NameOfFile().Replace(message, "a file");
    }

    [GeneratedRegex(@"[^\s('""]*[\\/][^\s)'""]*[^\s.,:;)'""]|[^\s('""]+\.(?:etl|zip|gz|xz|zst)\b",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex NameOfFile();
}
