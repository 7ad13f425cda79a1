using System.Runtime.InteropServices;

namespace Tracer.TracerCommand.Common;

/// <summary>
/// What ends a capture from outside. Ctrl+C lets it write what it has heard of; a second one ends the process, and the next start undoes
/// what is left. A closed console, a logoff, a shutdown or the stop of a service give it a few seconds: it only undoes what it changed.
/// </summary>
internal sealed class CaptureSignals : IDisposable
{
    /// <summary>Windows ends the process after five seconds anyway.</summary>
    private static readonly TimeSpan TimeToUndo = TimeSpan.FromSeconds(5);

    private readonly CancellationTokenSource _finish = new();
    private readonly CancellationTokenSource _abandon = new();
    private readonly ManualResetEventSlim _isOver = new();
    private readonly IDisposable _handling;

    public CaptureSignals() => _handling = Interruption.Handle(OnSignal);

    /// <summary>The user wants it to end.</summary>
    public CancellationToken Finish => _finish.Token;

    /// <summary>The system gives no time.</summary>
    public CancellationToken Abandon => _abandon.Token;

    /// <summary>Listens no more: the capture is over.</summary>
    public void Dispose()
    {
        _isOver.Set();
        _handling.Dispose();
        _finish.Dispose();
        _abandon.Dispose();
    }

    /// <summary>Whether the capture goes on, to its end.</summary>
    private bool OnSignal(PosixSignal signal)
    {
        if (signal is PosixSignal.SIGINT or PosixSignal.SIGQUIT)
        {
            bool isFirst = !_finish.IsCancellationRequested;
            _finish.Cancel();
            return isFirst;
        }

        _abandon.Cancel();

        // Windows ends the process when this returns.
        _isOver.Wait(TimeToUndo);
        return true;
    }
}
