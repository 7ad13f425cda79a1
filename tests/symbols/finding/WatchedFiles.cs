using System.Collections.Concurrent;

namespace Tracer.Symbols.Tests.Finding;

/// <summary>This machine's files, and a list of what was touched.</summary>
internal sealed class WatchedFiles : ISymbolFiles
{
    private readonly DiskSymbolFiles _files = new();
    private readonly ConcurrentQueue<string> _touched = new();
    private int _opened;

    public IEnumerable<string> Touched => _touched;

    public int Opened => Volatile.Read(ref _opened);

    public bool Exists(string path)
    {
        _touched.Enqueue(path);
        return _files.Exists(path);
    }

    public IEnumerable<string> NamesIn(string folder)
    {
        _touched.Enqueue(folder);
        return _files.NamesIn(folder);
    }

    public SymbolBytes? Open(string path, out string? problem)
    {
        _touched.Enqueue(path);
        Interlocked.Increment(ref _opened);
        return _files.Open(path, out problem);
    }

    public ISymbolFileDraft? Begin(string store, out string? problem)
    {
        _touched.Enqueue(store);
        return _files.Begin(store, out problem);
    }
}
