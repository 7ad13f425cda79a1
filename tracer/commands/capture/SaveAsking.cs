using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Snap;
using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>
/// All ways in which a user asks a running capture to save what its ring holds: a key of the live screen, and <c>tracer snap</c>.
/// </summary>
internal sealed class SaveAsking : IDisposable
{
    private readonly SnapListener? _snap;
    private readonly KeyWatch? _keys;

    private SaveAsking(SaveRequests requests, SnapListener? snap, KeyWatch? keys) => (Requests, _snap, _keys) = (requests, snap, keys);

    public SaveRequests Requests { get; }

    /// <param name="keys">The keyboard; null where nobody sits at it, or no live screen tells of the key.</param>
    /// <param name="observer">Is told if <c>tracer snap</c> will not get here.</param>
    public static SaveAsking Begin(ISnapSignals signals, ICaptureClock clock, IKeySource? keys, ICaptureObserver observer)
    {
        var requests = new SaveRequests();
        var snap = SnapListener.Start(signals, requests, clock, out string? problem);
        if (problem is not null)
        {
            observer.OnNote(CaptureNoteLevel.Warning, $"'tracer snap' does not reach this capture: {problem}");
        }

        return new SaveAsking(requests, snap, keys is null ? null : new KeyWatch(keys, OnKey));

        void OnKey(ConsoleKeyInfo key)
        {
            if (key.Key == ConsoleKey.S && (key.Modifiers & (ConsoleModifiers.Control | ConsoleModifiers.Alt)) == 0)
            {
                requests.Ask(clock.Qpc);
            }
        }
    }

    /// <summary>Listens no more.</summary>
    public void Dispose()
    {
        _keys?.Dispose();
        _snap?.Dispose();
    }
}
