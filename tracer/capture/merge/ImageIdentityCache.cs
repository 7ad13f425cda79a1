namespace Tracer.Capture.Merge;

/// <summary>
/// Identities of image files that were read already: a machine maps the same few thousand files into every process. An identity holds
/// across episodes while path, size and time of the file are the same; that is looked at once for each trace, since a file may be replaced
/// while we run. One that could not be read is tried again with each trace: who had locked it may have let go.
/// </summary>
public sealed class ImageIdentityCache
{
    private const int MostFiles = 16_384;

    private readonly Dictionary<string, Known> _known = new(StringComparer.OrdinalIgnoreCase);
    private int _trace;

    /// <param name="files">Reads it where it is not known yet, or is another by now.</param>
    /// <returns>Null where it has none.</returns>
    public ImageIdentity? Of(string traceName, IImageFiles files)
    {
        ArgumentNullException.ThrowIfNull(files);
        if (_known.TryGetValue(traceName, out Known known) && known.Trace == _trace)
        {
            return known.Identity;
        }

        // The stamp is taken before the file is read: what is written in between is read again for the next trace.
        ImageFileStamp? stamp = files.StampOf(traceName);
        ImageIdentity? identity = (stamp is not null && stamp == known.Stamp ? known.Identity : null) ?? files.Read(traceName);
        if (_known.Count == MostFiles && !_known.ContainsKey(traceName))
        {
            _known.Clear();
        }

        _known[traceName] = new Known(identity, stamp, _trace);
        return identity;
    }

    /// <summary>A new trace begins: files are looked at again, and read only where they changed.</summary>
    public void BeginTrace() => _trace++;

    private readonly record struct Known(ImageIdentity? Identity, ImageFileStamp? Stamp, int Trace);
}
