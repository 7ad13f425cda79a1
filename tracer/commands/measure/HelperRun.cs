using System.CommandLine;
using Tracer.Measure.Ground;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>Runs what works beside a measurement in a process of its own, as long as its standard input is open.</summary>
internal static class HelperRun
{
    /// <summary>Works until standard input ends, as it does when the process is gone that holds the other end.</summary>
    public static int UntilInputEnds(InvocationConfiguration console, Action<CancellationToken> work)
    {
        // Ctrl+C reaches every process of a terminal: this one ends when the one that measures does.
        using IDisposable signals = Interruption.Handle(static _ => true);
        using var stop = new CancellationTokenSource();
        var watch = new Thread(() =>
        {
            while (Console.In.Read() >= 0)
            {
            }

            stop.Cancel();
        })
        {
            IsBackground = true,
        };
        watch.Start();
        return Run(console, work, stop.Token);
    }

    public static int Run(InvocationConfiguration console, Action<CancellationToken> work, CancellationToken stop)
    {
        try
        {
            work(stop);
            return ExitCode.Done;
        }
        catch (MeasureException refusal)
        {
            console.Error.WriteLine($"tracer: {refusal.Message}");
            return ExitCode.Failed;
        }
    }
}
