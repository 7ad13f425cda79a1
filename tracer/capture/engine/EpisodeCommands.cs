using System.ComponentModel;
using System.Diagnostics;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Engine;

/// <summary>
/// Runs the user's command for each episode: with the command interpreter (<c>cmd.exe /d /s /c "COMMAND"</c>, <c>/bin/sh -c COMMAND</c> off
/// Windows), which does all quoting, and with what it needs in environment variables: <c>TRACER_FILE</c>, <c>TRACER_LATENCY_US</c>,
/// <c>TRACER_TRIGGER</c>, <c>TRACER_VERDICT</c>.
/// </summary>
/// <param name="observer">Is told of failures; none ends the capture.</param>
public sealed class EpisodeCommands(string command, ICaptureObserver observer) : IDisposable
{
    /// <summary>So many may run at once; for more episodes no command is run.</summary>
    public const int MostRunning = 4;

    /// <summary>At the end of a capture so long is waited for those that still run; then they are left to themselves.</summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(10);

    private readonly List<Process> _running = [];

    /// <summary>Starts the command for an episode; does not wait for it.</summary>
    public void Start(CapturedEpisode episode)
    {
        ArgumentNullException.ThrowIfNull(episode);
        Poll();
        if (_running.Count == MostRunning)
        {
            observer.OnNote(
                CaptureNoteLevel.Warning, $"--on-episode was not run for {episode.File}: {MostRunning} earlier commands still run");
            return;
        }

        try
        {
            _running.Add(Process.Start(StartOf(episode)) ?? throw new InvalidOperationException("no process was started"));
        }
        catch (Exception fault) when (fault is Win32Exception or InvalidOperationException)
        {
            observer.OnNote(CaptureNoteLevel.Warning, $"--on-episode could not be run: {fault.Message}");
        }
    }

    /// <summary>Looks which have ended, and tells of failures.</summary>
    public void Poll()
    {
        for (int i = _running.Count - 1; i >= 0; i--)
        {
            if (_running[i].HasExited)
            {
                Finish(_running[i]);
                _running.RemoveAt(i);
            }
        }
    }

    /// <summary>Waits for those that still run, at most <see cref="LongestWait"/> in all.</summary>
    public void Dispose()
    {
        var waited = Stopwatch.StartNew();
        foreach (Process process in _running)
        {
            TimeSpan left = LongestWait - waited.Elapsed;
            if (process.WaitForExit(left > TimeSpan.Zero ? left : TimeSpan.Zero))
            {
                Finish(process);
            }
            else
            {
                observer.OnNote(CaptureNoteLevel.Warning, "--on-episode still runs and is left to itself");
                process.Dispose();
            }
        }

        _running.Clear();
    }

    private void Finish(Process process)
    {
        if (process.ExitCode != 0)
        {
            string code = process.ExitCode.ToString(CultureInfo.InvariantCulture);
            observer.OnNote(CaptureNoteLevel.Warning, $"--on-episode ended with status {code}");
        }

        process.Dispose();
    }

    private ProcessStartInfo StartOf(CapturedEpisode episode)
    {
        ProcessStartInfo start = OperatingSystem.IsWindows()
            ? new ProcessStartInfo(Path.Combine(Environment.SystemDirectory, "cmd.exe")) { Arguments = $"/d /s /c \"{command}\"" }
            : new ProcessStartInfo("/bin/sh", ["-c", command]);
        start.UseShellExecute = false;
        start.Environment["TRACER_FILE"] = Path.GetFullPath(episode.File);
        start.Environment["TRACER_LATENCY_US"] = episode.Latency.Microseconds.ToString("0.###", CultureInfo.InvariantCulture);
        start.Environment["TRACER_TRIGGER"] = KebabCase.Of(episode.Trigger);
        start.Environment["TRACER_VERDICT"] = episode.VerdictLine;
        return start;
    }
}
