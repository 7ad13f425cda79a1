namespace Tracer.Symbols;

/// <summary>The files of this machine, mapped into memory; what commands give to <see cref="SymbolFinder"/>.</summary>
public sealed class DiskSymbolFiles : ISymbolFiles
{
    private const string DraftFolder = "tracer-unfinished";
    private const string DraftEnding = ".part";
    private const int MaximumNames = 1_000_000;

    // Longer ago than any download may take: whoever began such a draft did not end well.
    private static readonly TimeSpan Abandoned = TimeSpan.FromDays(1);

    private readonly HashSet<string> _unfinished = new(StringComparer.Ordinal);
    private bool _isAbandoned;

    /// <summary>
    /// The folder that symbols are kept in unless the user names another: below the user's local application data. Null where the system
    /// knows no such folder.
    /// </summary>
    public static string? DefaultCache =>
        Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData) is { Length: > 0 } folder
            ? Path.Combine(folder, "Tracer", "symbols")
            : null;

    /// <summary>
    /// Removes the files that are not complete and begins no others: for a process that is ended by a signal while one is on its way.
    /// </summary>
    public void Abandon()
    {
        lock (_unfinished)
        {
            _isAbandoned = true;
            foreach (string path in _unfinished)
            {
                Remove(path);
            }
        }
    }

    /// <inheritdoc/>
    public bool Exists(string path) => Path.Exists(path);

    /// <inheritdoc/>
    public IEnumerable<string> NamesIn(string folder)
    {
        try
        {
            return [.. Directory.EnumerateFileSystemEntries(folder).Take(MaximumNames).Select(path => Path.GetFileName(path))];
        }
        catch (Exception fault) when (IsOfTheDisk(fault))
        {
            return [];
        }
    }

    /// <inheritdoc/>
    public SymbolBytes? Open(string path, out string? problem)
    {
        try
        {
            problem = null;
            return MappedBytes.Open(path);
        }
        catch (Exception fault) when (fault is FileNotFoundException or DirectoryNotFoundException)
        {
            problem = null;
        }
        catch (Exception fault) when (IsOfTheDisk(fault))
        {
            problem = "can't be read: " + fault.Message.TrimEnd('.');
        }

        return null;
    }

    /// <inheritdoc/>
    public ISymbolFileDraft? Begin(string store, out string? problem)
    {
        if (!OperatingSystem.IsWindows() && store.Contains('\\', StringComparison.Ordinal))
        {
            problem = "can't be written: it is a path of Windows";
            return null;
        }

        try
        {
            string folder = Path.Combine(store, DraftFolder);
            Directory.CreateDirectory(folder);
            RemoveAbandoned(folder);
            problem = null;
            lock (_unfinished)
            {
                if (_isAbandoned)
                {
                    problem = "is not written: the process ends";
                    return null;
                }

                string path = Path.Combine(folder, Guid.NewGuid().ToString("N") + DraftEnding);
                var draft = new Draft(path, this);
                _unfinished.Add(path);
                return draft;
            }
        }
        catch (Exception fault) when (IsOfTheDisk(fault))
        {
            problem = "can't be written: " + fault.Message.TrimEnd('.');
            return null;
        }
    }

    private static bool IsOfTheDisk(Exception fault) => fault
        is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException or System.Security.SecurityException;

    private static void RemoveAbandoned(string folder)
    {
        foreach (string path in Directory.EnumerateFiles(folder, "*" + DraftEnding))
        {
            if (DateTime.UtcNow - File.GetLastWriteTimeUtc(path) > Abandoned)
            {
                Remove(path);
            }
        }
    }

    private static void Remove(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception fault) when (IsOfTheDisk(fault))
        {
            // Another process has it open; it is removed another day.
        }
    }

    private void Finish(string path, Action action)
    {
        lock (_unfinished)
        {
            if (!_isAbandoned)
            {
                action();
                _unfinished.Remove(path);
            }
        }
    }

    private sealed class Draft(string path, DiskSymbolFiles files) : ISymbolFileDraft
    {
        private readonly FileStream _content =
            new(path, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, bufferSize: 64 * 1024);

        private bool _isKept;

        public Stream Content => _content;

        public SymbolBytes? Open(out string? problem)
        {
            try
            {
                _content.Flush();
                problem = null;
                return MappedBytes.Open(path);
            }
            catch (Exception fault) when (IsOfTheDisk(fault))
            {
                problem = "can't be read back: " + fault.Message.TrimEnd('.');
                return null;
            }
        }

        public bool TryKeep(string target, out string? problem)
        {
            try
            {
                _content.Dispose();
                Directory.CreateDirectory(Path.GetDirectoryName(target)!);
                files.Finish(path, () =>
                {
                    File.Move(path, target, overwrite: true);
                    _isKept = true;
                });
                problem = _isKept ? null : "is not kept: the process ends";
                return _isKept;
            }
            catch (Exception fault) when (IsOfTheDisk(fault))
            {
                problem = "can't be written: " + fault.Message.TrimEnd('.');
                return false;
            }
        }

        public void Dispose()
        {
            try
            {
                _content.Dispose();
            }
            catch (IOException)
            {
                // The disk is full: what was not written is not kept either.
            }

            if (!_isKept)
            {
                files.Finish(path, () => Remove(path));
            }
        }
    }
}
