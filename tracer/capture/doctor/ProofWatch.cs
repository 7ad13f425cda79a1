using Tracer.Capture.Ground;

namespace Tracer.Capture.Doctor;

/// <summary>
/// Watches the capture of a proof: has the delay provoked as soon as it watches, and ends it when an episode is written that is it.
/// </summary>
internal sealed class ProofWatch(ProofSetup setup) : ICaptureObserver, IDisposable
{
    private readonly CancellationTokenSource _finish = new();
    private IDisposable? _provoking;

    public TimeSpan StatusInterval => TimeSpan.FromSeconds(1);

    public CancellationToken Finish => _finish.Token;

    /// <summary>The episode that was provoked; null before.</summary>
    public CapturedEpisode? Known { get; private set; }

    public void OnStatus(CaptureStatus status)
    {
        if (status.Phase == CapturePhase.Watching && _provoking is null && Known is null)
        {
            _provoking = setup.Delay.Begin();
        }
    }

    public void OnNote(CaptureNoteLevel level, string text)
    {
        // The lines of the self-test before tell the same.
    }

    public void OnEpisode(CapturedEpisode episode)
    {
        if (IsProvoked(episode))
        {
            Known = episode;
            _finish.Cancel();
        }
    }

    public void OnDropped(CapturedEpisode episode)
    {
        // As many are kept as are captured.
    }

    public void Dispose()
    {
        _provoking?.Dispose();
        _finish.Dispose();
    }

    /// <summary>Whether an episode lies on the CPU and in a stretch that we kept.</summary>
    private bool IsProvoked(CapturedEpisode episode)
    {
        long end = episode.StartQpc + setup.Machine.Clock.TicksOf(episode.Latency);
        return episode.Cpu == setup.Delay.Cpu
            && setup.Delay.Provoked.Any(one => episode.StartQpc <= one.EndQpc && end >= one.BeginQpc);
    }
}
