using System.Runtime.InteropServices;

namespace Tracer.TracerCommand;

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
    private readonly PosixSignalRegistration[] _registrations;

    /// <summary>Listens.</summary>
    public CaptureSignals() => _registrations =
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, OnInterrupt),
        PosixSignalRegistration.Create(PosixSignal.SIGQUIT, OnInterrupt), // Ctrl+Break.
        PosixSignalRegistration.Create(PosixSignal.SIGHUP, OnEnd),        // The console is closed.
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnEnd),       // Shutdown, or the stop of a service.
    ];

    /// <summary>The user wants it to end.</summary>
    public CancellationToken Finish => _finish.Token;

    /// <summary>The system gives no time.</summary>
    public CancellationToken Abandon => _abandon.Token;

    /// <summary>Listens no more: the capture is over.</summary>
    public void Dispose()
    {
        _isOver.Set();
        Array.ForEach(_registrations, static registration => registration.Dispose());
        _finish.Dispose();
        _abandon.Dispose();
    }

    private void OnInterrupt(PosixSignalContext context)
    {
        context.Cancel = !_finish.IsCancellationRequested;
        _finish.Cancel();
    }

    private void OnEnd(PosixSignalContext context)
    {
        context.Cancel = true;
        _abandon.Cancel();

        // Windows ends the process when this returns.
        _isOver.Wait(TimeToUndo);
    }
}
