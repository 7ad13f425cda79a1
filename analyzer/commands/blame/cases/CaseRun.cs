using System.CommandLine;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Cases;
using Tracer.AnalyzerCommand.Common.Copies;
using Tracer.AnalyzerCommand.Common.Objects;
using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.AnalyzerShared.Html;

namespace Tracer.AnalyzerCommand.Commands.Blame.Cases;

/// <summary>
/// Judges many traces, several at once within a budget of memory, and writes a case for each in the order of the traces. One that cannot
/// be read has a case that says so, and never stops the rest.
/// </summary>
internal sealed class CaseRun
{
    /// <summary>Most cases that wait for an earlier one to be done: what a kill loses.</summary>
    private const int MostWaiting = 64;

    private readonly object _gate = new(); // Waited on, which a Lock cannot be.
    private readonly CaseFile _file;
    private readonly CaseBudget _budget;
    private readonly CaseProgress _progress;
    private readonly List<CaseInput> _inputs;
    private readonly Dictionary<int, CaseReport> _waiting = [];
    private int _next;
    private int _written;
    private int _failed;
    private Exception? _fault;

    private CaseRun(List<CaseInput> inputs, CaseFile file, CaseBudget budget, CaseProgress progress)
    {
        _inputs = inputs;
        _file = file;
        _budget = budget;
        _progress = progress;
    }

    /// <summary>Judges the traces of a command line.</summary>
    /// <param name="destination">A file, an address, <c>@FILE</c> with an address; null or <c>-</c> for standard output.</param>
    /// <param name="options">How many at once, and what stands for names.</param>
    /// <returns>The exit status: 1 where a trace could not be judged.</returns>
    /// <exception cref="IOException">The output cannot be written, or no trace is called so.</exception>
    /// <exception cref="UnauthorizedAccessException">A folder may not be read.</exception>
    public static int Run(
        ParseResult parse, string[] traces, string? destination, CaseOptions options, SymbolOptions symbols, BlameRequest request,
        TraceAnalysis analysis)
    {
        TextWriter error = TextWriter.Synchronized(parse.InvocationConfiguration.Error);
        string? output = ObjectAddress.Listed(destination);
        bool toAddress = output is not null && ObjectAddress.Is(output);
        bool toFile = output is not null and not OutputFile.StandardOutput && !toAddress;
        string[] paths =
        [
            .. traces.SelectMany(TraceInputs.Listed)
                .SelectMany(given => options.Recurses(parse) ? TraceInputs.Below(given) : TraceInputs.Of(given)),
        ];
        string? problem = TraceArgument.ProblemWithSeveral(paths)
            ?? paths.Select(ObjectAddress.Problem).FirstOrDefault(one => one is not null)
            ?? (toAddress ? ObjectAddress.Problem(output!) : ReportOutput.Problem(output, paths))
            ?? (toFile ? ReportOutput.Problem(output + CaseFile.PathsEnding, paths) : null)
            ?? (!toFile && options.Resumes(parse) ? "--resume goes on with a file: name it with -o" : null);
        if (problem is not null)
        {
            return WrongUsage.Tell("blame", problem, error);
        }

        CaseNames names = options.Names(parse);
        using Stream lines = toAddress
            ? ScratchSpace.File()
            : new LinesStream(PrintableWriter.Before(parse.InvocationConfiguration.Output));
        using CaseFile file = toFile
            ? CaseFile.Open(output!, options.Resumes(parse), request.Threshold, request.MinPriority)
            : CaseFile.To(lines);
        (string[] counting, InputCopy[] copies) = RecordedContent.Among(paths);
        InputCopy.Tell(copies, error);
        List<CaseInput> inputs = [.. counting.Select(CaseInput.Of)];
        int all = inputs.Count;
        inputs.RemoveAll(file.Has);
        if (inputs.Count < all)
        {
            error.WriteLine($"analyzer: {Counted.Of(all - inputs.Count, "trace")} of {all} judged by an earlier run");
        }

        if (file.Unreached > 0)
        {
            error.WriteLine($"analyzer: {Counted.Of(file.Unreached, "trace")} that no server gave to an earlier run: tried again");
        }

        int jobs = Math.Min(options.Jobs(parse), Math.Max(1, inputs.Count));
        var progress = new CaseProgress(inputs, jobs, error);
        var run = new CaseRun(inputs, file, new CaseBudget(options.Memory(parse)), progress);
        run.Work(jobs, Judge);
        if (toAddress)
        {
            ObjectStore.Put(output!, lines, options.Follows(parse));
        }

        if (run._failed > 0)
        {
            error.WriteLine($"analyzer: {Counted.Of(run._failed, "trace")} of {inputs.Count} could not be judged; their cases say why");
        }

        if (file.EarlierFailed > 0)
        {
            string earlier = Counted.Of(file.EarlierFailed, "trace");
            error.WriteLine($"analyzer: {earlier} of an earlier run could not be judged; their cases say why");
        }

        return run._failed + file.EarlierFailed > 0 ? ExitCode.Failed : ExitCode.Done;

        CaseReport Judge(string path)
        {
            using SymbolSession session = symbols.Open(parse, ObjectAddress.Is(path) ? TraceArgument.StandardInput : path, error);
            BlameRequest asked = request with { Names = session.Names };
            CaseReport report = CaseOfTrace.Read(path, asked, names, options.Machine(parse), options.Follows(parse), analysis, error);
            session.TellProblems();
            return report;
        }
    }

    private void Work(int jobs, Func<string, CaseReport> judge)
    {
        Thread[] workers = [.. Enumerable.Range(0, jobs).Select(_ => new Thread(() => Take(judge)) { IsBackground = true })];
        foreach (Thread worker in workers)
        {
            worker.Start();
        }

        foreach (Thread worker in workers)
        {
            worker.Join();
        }

        if (_fault is not null)
        {
            throw new IOException(_fault.Message, _fault);
        }
    }

    private void Take(Func<string, CaseReport> judge)
    {
        while (Next() is { } index)
        {
            CaseInput input = _inputs[index];
            long taken = _budget.Enter(input);
            try
            {
                CaseReport report = judge(input.Path);
                Keep(index, report);
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                lock (_gate)
                {
                    // The output cannot be written: nobody needs more.
                    _fault ??= failure;
                    Monitor.PulseAll(_gate);
                }
            }
            finally
            {
                _budget.Leave(taken);
            }
        }
    }

    private int? Next()
    {
        lock (_gate)
        {
            while (_fault is null && _next < _inputs.Count && _next - _written >= MostWaiting)
            {
                Monitor.Wait(_gate);
            }

            return _fault is null && _next < _inputs.Count ? _next++ : null;
        }
    }

    private void Keep(int index, CaseReport report)
    {
        lock (_gate)
        {
            _progress.Done(_inputs[index], report.Problem is not null);
            _waiting.Add(index, report);
            while (_waiting.Remove(_written, out CaseReport? one))
            {
                _file.Add(_inputs[_written], one);
                _failed += one.Problem is null ? 0 : 1;
                _written++;
            }

            Monitor.PulseAll(_gate);
        }
    }
}
