namespace Tracer.CommandLine;

/// <summary>
/// A folder for a while, into which only this user can look: it goes when it is disposed of, and when a signal ends the process.
/// </summary>
public sealed class ScratchFolder : IDisposable
{
    private readonly IDisposable _guard;

    /// <param name="kind">What it is for: a part of its name.</param>
    /// <exception cref="IOException">There is no room for one; the message says what to do.</exception>
    public ScratchFolder(string kind)
    {
        string? path = null;
        _guard = Interruption.Guard(() => path = ScratchSpace.Folder(kind), () => ScratchSpace.Remove(path!));
        Path = path!;
    }

    public string Path { get; }

    public void Dispose() => Interruption.Whole(() =>
    {
        ScratchSpace.Remove(Path);
        _guard.Dispose();
    });
}
