using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Engine;

/// <summary>Undoes what a capture left behind that did not end as it should. Touches nothing that is not ours.</summary>
public sealed class Leftovers(CaptureMachine machine, ICaptureObserver observer)
{
    /// <summary>Sampling intervals that Windows takes, in units of 100 ns: another one in the file is not ours.</summary>
    private const uint ShortestInterval = 1_000;
    private const uint LongestInterval = 10_000_000;

    /// <param name="left">What the state file says; null where it says nothing.</param>
    public void Undo(CaptureState? left)
    {
        StopSessions();
        if (left is null)
        {
            return;
        }

        foreach (LeftProcess process in left.Processes)
        {
            if (machine.EndProcess(process))
            {
                string id = process.Id.ToString(CultureInfo.InvariantCulture);
                observer.OnNote(CaptureNoteLevel.Info, $"ended process {id}, which an earlier capture had left running");
            }
        }

        if (left.HasDriverRun && machine.EndDriverRun())
        {
            observer.OnNote(CaptureNoteLevel.Info, "ended the driver's run, which an earlier capture had left going");
        }

        if (left.ProfileInterval100ns is >= ShortestInterval and <= LongestInterval and { } interval)
        {
            try
            {
                machine.Sessions.ProfileInterval = interval;
                observer.OnNote(CaptureNoteLevel.Info, "restored the sampling interval, which an earlier capture had left changed");
            }
            catch (EtwException fault)
            {
                observer.OnNote(
                    CaptureNoteLevel.Warning, $"an earlier capture changed the sampling interval, and it stays so: {fault.Message}");
            }
        }

        DeleteFiles(left.TemporaryFiles);
    }

    /// <summary>Stops sessions of ours; where Windows refuses, the start of the next one tells whether they are in its way.</summary>
    private void StopSessions()
    {
        try
        {
            foreach (RunningSession session in machine.Sessions.Running())
            {
                if (SessionPlans.CaptureNames.Contains(session.Name, StringComparer.OrdinalIgnoreCase)
                    && machine.Sessions.Stop(session.Name))
                {
                    observer.OnNote(
                        CaptureNoteLevel.Info, $"stopped the session '{session.Name}', which an earlier capture had left running");
                }
            }
        }
        catch (EtwException refusal)
        {
            observer.OnNote(
                CaptureNoteLevel.Warning, $"whether an earlier capture left sessions running was not to be had: {refusal.Message}");
        }
    }

    /// <summary>Deletes temporary files of ours that are still there.</summary>
    /// <param name="paths">Their paths; those of other names are left alone.</param>
    public static void DeleteFiles(IEnumerable<string> paths)
    {
        ArgumentNullException.ThrowIfNull(paths);
        foreach (string path in paths.Where(static path => path.EndsWith(CaptureState.TemporarySuffix, StringComparison.Ordinal)))
        {
            try
            {
                File.Delete(path);
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                // On a drive that is gone, or still open in a virus scanner: the next start tries again only while the state names it.
            }
        }
    }
}
