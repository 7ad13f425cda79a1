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
    /// <returns>What could not be undone: the end of this capture is to try again, or the next start.</returns>
    public CaptureState Undo(CaptureState? left)
    {
        var kept = new CaptureState();
        StopSessions();
        if (left is null)
        {
            return kept;
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
                kept = kept with { ProfileInterval100ns = interval };
                observer.OnNote(
                    CaptureNoteLevel.Warning,
                    $"an earlier capture changed the sampling interval, and it stays so until it can be restored: {fault.Message}");
            }
        }

        return kept with { TemporaryFiles = DeleteFiles(left.TemporaryFiles) };
    }

    /// <summary>Deletes temporary files of ours that are still there.</summary>
    /// <param name="paths">Their paths; those of other names are left alone.</param>
    /// <returns>Those that could not be deleted.</returns>
    public static IReadOnlyList<string> DeleteFiles(IEnumerable<string> paths)
    {
        ArgumentNullException.ThrowIfNull(paths);
        List<string> kept = [];
        foreach (string path in paths.Where(static path => path.EndsWith(CaptureState.TemporarySuffix, StringComparison.Ordinal)))
        {
            try
            {
                File.Delete(path);
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                kept.Add(path); // On a drive that is gone, or still open in a virus scanner.
            }
        }

        return kept;
    }

    /// <summary>A refusal ends no start: where one of ours still has the name, starting it says so.</summary>
    private void StopSessions()
    {
        IReadOnlyList<RunningSession> running;
        try
        {
            running = machine.Sessions.Running();
        }
        catch (EtwException fault)
        {
            observer.OnNote(CaptureNoteLevel.Warning, $"whether an earlier capture left a session running is not known: {fault.Message}");
            return;
        }

        foreach (string name in running.Select(static one => one.Name)
            .Where(static name => SessionPlans.CaptureNames.Contains(name, StringComparer.OrdinalIgnoreCase)))
        {
            try
            {
                if (machine.Sessions.Stop(name))
                {
                    observer.OnNote(CaptureNoteLevel.Info, $"stopped the session '{name}', which an earlier capture had left running");
                }
            }
            catch (EtwException fault)
            {
                observer.OnNote(CaptureNoteLevel.Warning, $"the session '{name}' of an earlier capture goes on: {fault.Message}");
            }
        }
    }
}
