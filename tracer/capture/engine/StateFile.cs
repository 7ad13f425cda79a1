using System.Text.Json;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Engine;

/// <summary>
/// The file with a capture's <see cref="CaptureState"/>. Held open for one process alone as long as it runs, which keeps a second capture
/// out; what it holds when it is opened is what a crash left.
/// </summary>
public sealed class StateFile : IDisposable
{
    /// <summary>Ours has a few hundred bytes.</summary>
    private const int MostBytes = 64 * 1024;

    private readonly string _path;
    private readonly FileStream _stream;
    private bool _isUndone;

    private StateFile(string path, FileStream stream)
    {
        _path = path;
        _stream = stream;
    }

    public CaptureState State { get; private set; } = new();

    /// <param name="left">What a crash left to be undone; null where there is nothing.</param>
    /// <exception cref="CaptureException">Another capture runs, or the file can't be written.</exception>
    public static StateFile Open(string path, out CaptureState? left)
    {
        FileStream stream;
        bool exists = File.Exists(path);
        try
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
            stream = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (UnauthorizedAccessException fault)
        {
            throw new CaptureException($"{path} can't be written, which would undo our changes after a crash: run as administrator", fault);
        }
        catch (IOException fault) when (exists)
        {
            throw new CaptureException(
                "another 'tracer capture' is running on this machine: two would take each other's sessions; end that one first", fault);
        }
        catch (IOException fault)
        {
            throw new CaptureException($"{path} can't be written, which would undo our changes after a crash: {fault.Message}", fault);
        }

        left = Read(stream);
        return new StateFile(path, stream);
    }

    /// <summary>Writes what is going to be changed; returns when it is on the disk.</summary>
    /// <exception cref="IOException">The storage failed.</exception>
    public void Write(CaptureState state)
    {
        State = state;
        byte[] json = JsonSerializer.SerializeToUtf8Bytes(state, CaptureStateJson.Default.CaptureState);
        _stream.Position = 0; // Over what is there: a full disk has room for that.
        _stream.Write(json);
        _stream.SetLength(json.Length);
        _stream.Flush(flushToDisk: true);
    }

    /// <summary>Everything is undone: nothing is to be left of the file.</summary>
    public void MarkUndone() => _isUndone = true;

    /// <summary>Closes the file, and deletes it where everything is undone.</summary>
    public void Dispose()
    {
        _stream.Dispose();
        if (_isUndone)
        {
            try
            {
                File.Delete(_path);
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                // Another capture has opened it in this moment: it is that one's now.
            }

            _isUndone = false;
        }
    }

    /// <summary>What stands in it; null where that is nothing, or nothing that we wrote.</summary>
    private static CaptureState? Read(FileStream stream)
    {
        if (stream.Length is 0 or > MostBytes)
        {
            return null;
        }

        byte[] json = new byte[stream.Length];
        stream.ReadExactly(json);
        try
        {
            CaptureState? state = JsonSerializer.Deserialize(json, CaptureStateJson.Default.CaptureState);
            return state is { Processes: not null, TemporaryFiles: not null } ? state : null;
        }
        catch (JsonException)
        {
            return null; // Cut short by the crash itself: it was being written, and nothing had been changed yet.
        }
    }
}
