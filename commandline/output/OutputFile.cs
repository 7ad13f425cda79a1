namespace Tracer.CommandLine;

/// <summary>
/// A file that a command writes. It is written under another name in the same folder, and takes its own when it is complete
/// (<see cref="Keep"/>): what stood there before stays until then, and stays for good if the command fails or is ended by a signal. A part
/// of a file is never seen under its name. Devices, pipes and standard output (<c>-</c>) take what is written as it comes.
/// </summary>
public sealed class OutputFile : IDisposable
{
    /// <summary>What stands for standard output in the place of a path.</summary>
    public const string StandardOutput = "-";

    /// <summary>How a file is called as long as it is not complete: a name of its own with this ending.</summary>
    public const string DraftEnding = ".tracer-part";

    private const int LinksFollowed = 40;

    private readonly string _path;
    private readonly string _target;
    private readonly string? _draft;
    private readonly FileFacts _before;
    private readonly Stream _through;
    private readonly IDisposable? _guard;
    private bool _isKept;

    /// <param name="path">Where it is to stand; <see cref="StandardOutput"/> for standard output.</param>
    /// <param name="mustSeek">Whether its writer goes back in it: then what cannot is given all of it at the end.</param>
    /// <exception cref="IOException">It cannot be written there.</exception>
    public OutputFile(string path, bool mustSeek = false)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        RawFileName.RefuseToMake(path);
        _path = path;
        _target = TargetOf(path);
        IsStandardOutput = LeadsToStandardOutput(_target);
        _before = IsStandardOutput || IsOwnStream(_target) ? new FileFacts(FileType.Device, null, null) : FileFacts.Of(_target);
        if (_before.Type == FileType.Device)
        {
            _through = Tell(path, () => IsStandardOutput
                ? StandardStreams.OpenOutput()
                : new FileStream(_target, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0));
            Content = new ToldStream(path, mustSeek ? ScratchSpace.File() : _through);
            return;
        }

        string folder = System.IO.Path.GetDirectoryName(_target) is { Length: > 0 } parent ? parent : ".";
        if (Reason(_before.Type, _target, folder) is { } reason)
        {
            throw new IOException($"{path}: {reason}");
        }

        string name = System.IO.Path.GetFileName(_target);
        string begin = $".{name[..Math.Min(name.Length, 40)]}.";
        ScratchSpace.RemoveLeft(folder, begin, DraftEnding);
        string draft = System.IO.Path.Combine(folder, begin + ScratchSpace.Owner() + DraftEnding);
        FileStream? stream = null;
        _guard = Interruption.Guard(
            () => stream = Tell(path, () => new FileStream(draft, DraftOptions())),
            () => Remove(draft));
        (_draft, _through) = (draft, stream!);
        Content = new ToldStream(path, stream!);
    }

    /// <summary>Where it is to stand, as the user wrote it.</summary>
    public string Path => _path;

    /// <summary>Takes the bytes; what goes wrong is told with the path that the user wrote.</summary>
    public Stream Content { get; }

    public bool IsStandardOutput { get; }

    /// <summary>Whether there will be a file of this name: nothing can stand beside standard output, a device or a pipe.</summary>
    public bool IsFile => _draft is not null;

    /// <summary>What is wrong with a path for output; null where nothing is.</summary>
    /// <param name="option">How the user called it, with its colon: <c>--output</c>.</param>
    /// <param name="path">The path; null for standard output.</param>
    /// <param name="inputs">
    /// Every file that the command reads, whatever it is called: none may be written. Those that are not there are nobody's; <c>-</c> is
    /// standard input.
    /// </param>
    public static string? Problem(string option, string? path, IEnumerable<string> inputs)
    {
        ArgumentNullException.ThrowIfNull(inputs);
        if (path is null)
        {
            return null;
        }

        if (path.Length == 0)
        {
            return $"{option}: the name of a file is expected";
        }

        return inputs.FirstOrDefault(input => IsSame(input, path)) switch
        {
            null => null,
            StandardOutput => $"{option}: {path} is the file that standard input comes from; write to another",
            { } same when same == path => $"{option}: {path} is read by this command; write to another file",
            { } same => $"{option}: {path} is the file {same}, which is read by this command; write to another",
        };
    }

    /// <summary>
    /// The file is complete: it takes its name. A file that stood there is replaced; the new one has its permissions and, where that is
    /// allowed, its owner.
    /// </summary>
    /// <exception cref="IOException">It cannot; what stood there still does.</exception>
    public void Keep()
    {
        Tell(_path, () =>
        {
            if (_draft is null)
            {
                PassOn();
                return true;
            }

            // What a crash of the machine leaves must be the old file or the new one.
            ((FileStream)_through).Flush(flushToDisk: true);
            Interruption.Whole(() =>
            {
                _through.Dispose();
                TakeOver();
                File.Move(_draft, _target, overwrite: true);
                _isKept = true;
            });
            return true;
        });
    }

    /// <summary>Ends it; a file that is not complete is removed.</summary>
    public void Dispose()
    {
        try
        {
            Content.Dispose();
            _through.Dispose();
        }
        catch (IOException)
        {
            // What was not written yet is not kept either; the writer has been told by its last write.
        }

        if (_draft is not null && !_isKept)
        {
            Remove(_draft);
        }

        _guard?.Dispose();
    }

    /// <summary>Whether two paths lead to the same file, by links or by another way to write it.</summary>
    internal static bool IsSame(string input, string output)
    {
        if (input.Length == 0)
        {
            return false;
        }

        FileFacts target = output == StandardOutput ? default : FileFacts.Of(output);
        if (target.Type != FileType.Regular)
        {
            return false;
        }

        FileFacts source = input == StandardOutput ? FileFacts.OfStandardInput() : FileFacts.Of(input);

        if (source.Identity is { } one && target.Identity is { } other)
        {
            return one == other;
        }

        StringComparison comparison = OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;
        return input != StandardOutput && TargetOf(input).Equals(TargetOf(output), comparison);
    }

    /// <summary>The path with links followed: the file is replaced, the link stays. Ways to the process's own streams stay.</summary>
    private static string TargetOf(string path)
    {
        if (path == StandardOutput)
        {
            return path;
        }

        string at = System.IO.Path.GetFullPath(path);
        for (int i = 0; i < LinksFollowed && !IsOwnStream(at) && new FileInfo(at).LinkTarget is { } link; i++)
        {
            at = System.IO.Path.GetFullPath(link, System.IO.Path.GetDirectoryName(at)!);
        }

        return at;
    }

    private static bool LeadsToStandardOutput(string path) =>
        path == StandardOutput || (!OperatingSystem.IsWindows() && path is "/dev/stdout" or "/dev/fd/1" or "/proc/self/fd/1");

    private static bool IsOwnStream(string path) => !OperatingSystem.IsWindows()
        && (path is "/dev/stdout" or "/dev/stderr" || path.StartsWith("/dev/fd/", StringComparison.Ordinal)
            || path.StartsWith("/proc/", StringComparison.Ordinal));

    private static string? Reason(FileType type, string target, string folder)
    {
        if (type == FileType.Folder)
        {
            return "this is a folder; the name of a file is expected";
        }

        if (!Directory.Exists(folder))
        {
            return $"there is no folder {folder}";
        }

        return type == FileType.Regular && File.GetAttributes(target).HasFlag(FileAttributes.ReadOnly)
            ? "the file there is write-protected"
            : null;
    }

    private static T Tell<T>(string path, Func<T> action)
    {
        try
        {
            return action();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw ToldStream.Told(path, fault);
        }
    }

    private static void Remove(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // Nothing more can be done about it; its name tells what it is.
        }
    }

    /// <summary>Nobody may read the new file who may not read the one that it replaces.</summary>
    private FileStreamOptions DraftOptions()
    {
        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Share = FileShare.Read | FileShare.Delete,
            BufferSize = 0,
        };
        if (!OperatingSystem.IsWindows() && _before.Type == FileType.Regular)
        {
            options.UnixCreateMode = File.GetUnixFileMode(_target) | UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        return options;
    }

    private void PassOn()
    {
        if (((ToldStream)Content).Inner is FileStream { CanSeek: true } scratch && !ReferenceEquals(scratch, _through))
        {
            scratch.Position = 0;
            scratch.CopyTo(_through);
        }

        _through.Flush();
    }

    private void TakeOver()
    {
        if (_before.Type != FileType.Regular || OperatingSystem.IsWindows())
        {
            return;
        }

        // First the owner: giving a file away takes some of its permissions from it.
        if (_before.Owner is { } owner && FileFacts.Of(_draft!).Owner != owner)
        {
            FileFacts.TryGive(_draft!, owner);
        }

        File.SetUnixFileMode(_draft!, File.GetUnixFileMode(_target));
    }
}
