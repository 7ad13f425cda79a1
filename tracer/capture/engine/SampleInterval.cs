using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Engine;

/// <summary>Sets the machine's sampling interval, which is one for all sessions, and restores it. VMs often refuse it.</summary>
/// <param name="state">Remembers what it was, also beyond a crash.</param>
/// <param name="observer">Is told where it is not as asked for.</param>
public sealed class SampleInterval(ITraceSessions sessions, StateFile state, ICaptureObserver observer)
{
    /// <summary>Windows takes multiples of the timer's own ticks: what it answers differs a little.</summary>
    private const double Tolerance = 0.1;

    private uint? _before;

    /// <summary>The interval now, in units of 100 ns; 0 where Windows does not tell.</summary>
    public uint Current100ns { get; private set; }

    /// <param name="wanted">In units of 100 ns.</param>
    public void Set(uint wanted)
    {
        uint? earlier = state.State.ProfileInterval100ns; // Of a capture that crashed, where it could not be restored yet.
        _before = earlier;
        bool isSet = false;
        try
        {
            Current100ns = sessions.ProfileInterval;
            if (IsAsWanted(wanted))
            {
                return;
            }

            uint before = earlier ?? Current100ns;
            state.Write(state.State with { ProfileInterval100ns = before });
            _before = before;
            sessions.ProfileInterval = wanted;
            isSet = true;
            Current100ns = sessions.ProfileInterval;
            if (!IsAsWanted(wanted))
            {
                string now = Milliseconds(Current100ns);
                observer.OnNote(
                    CaptureNoteLevel.Warning, $"samples are taken every {now}: Windows did not take an interval of {Milliseconds(wanted)}");
            }
        }
        catch (EtwException fault)
        {
            string said = isSet ? "how often samples are taken is not known" : "the sampling interval stays as it is";
            observer.OnNote(CaptureNoteLevel.Warning, $"{said}: {fault.Message}");
            if (!isSet && earlier is null)
            {
                _before = null; // There is nothing to restore, which would be refused as well.
                state.Write(state.State with { ProfileInterval100ns = null });
            }
        }
    }

    /// <summary>Whether an interval is one that was asked for, within what Windows rounds. Both in units of 100 ns.</summary>
    public static bool IsNear(uint interval, uint wanted) => Math.Abs((double)interval - wanted) <= wanted * Tolerance;

    /// <exception cref="EtwException">Windows refused it; the state file still knows what it was.</exception>
    public void Restore()
    {
        if (_before is { } before)
        {
            sessions.ProfileInterval = before;
            state.Write(state.State with { ProfileInterval100ns = null });
            _before = null;
        }
    }

    private static string Milliseconds(uint interval100ns) =>
        ReadableDuration.Of(new Duration(100L * interval100ns));

    private bool IsAsWanted(uint wanted) => IsNear(Current100ns, wanted);
}
