using Tracer.Capture.Ground;
using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Service;

/// <summary>
/// What a service tells, in a file: a line each with its time. When the file is full it becomes the old one, and a new one begins, so that
/// both together are bounded.
/// </summary>
internal sealed class ServiceLog(string path, long mostBytes = 1 << 20) : ICaptureScreen
{
    private readonly Lock _lock = new();
    private CapturePhase _phase = CapturePhase.Stopping;

    public const string FileName = "service.log";

    /// <summary>How it stands is noted each ten minutes.</summary>
    public TimeSpan StatusInterval => TimeSpan.FromMinutes(10);

    /// <summary>Is told of what deserves the event log as well.</summary>
    public Action<CaptureNoteLevel, string> Also { get; init; } = static (_, _) => { };

    /// <summary>The file that the full one becomes.</summary>
    private string OldPath => path + ".old";

    public void OnStatus(CaptureStatus status)
    {
        bool isTold = status.Phase is CapturePhase.Watching or CapturePhase.Stopping || status.Phase != _phase;
        _phase = status.Phase;
        if (isTold && status.Phase is not (CapturePhase.Recording or CapturePhase.Writing))
        {
            Write(PlainScreen.Line(status));
        }
    }

    public void OnNote(CaptureNoteLevel level, string text)
    {
        Write(level == CaptureNoteLevel.Warning ? $"warning: {text}" : text);
        if (level == CaptureNoteLevel.Warning)
        {
            Also(level, text);
        }
    }

    public void OnEpisode(CapturedEpisode episode)
    {
        string text = CaptureSentences.Of(episode);
        Write(text);
        Also(CaptureNoteLevel.Info, text);
    }

    public void OnDropped(CapturedEpisode episode) => Write(CaptureSentences.Dropped(episode));

    public void Write(string text)
    {
        string line = DateTime.UtcNow.ToString("yyyy-MM-dd HH:mm:ss'Z' ", CultureInfo.InvariantCulture) + text.ReplaceLineEndings(" ");
        lock (_lock)
        {
            try
            {
                if (new FileInfo(path) is { Exists: true } file && file.Length + line.Length > mostBytes)
                {
                    File.Move(path, OldPath, overwrite: true);
                }

                File.AppendAllLines(path, [line]);
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                // The capture goes on without a log; the event log has what matters.
            }
        }
    }

    public void Dispose()
    {
    }
}
