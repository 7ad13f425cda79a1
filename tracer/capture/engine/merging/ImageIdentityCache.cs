namespace Tracer.Capture;

/// <summary>
/// Identities of image files that were read already, also of those that could not be: a machine maps the same few thousand files into every
/// process. Emptied when full, and before each trace, since a file may be replaced while we run.
/// </summary>
public sealed class ImageIdentityCache
{
    private const int MostFiles = 16_384;

    private readonly Dictionary<string, ImageIdentity?> _identities = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>How many files it knows.</summary>
    public int Count => _identities.Count;

    /// <summary>The identity of a file.</summary>
    /// <param name="traceName">Its name in the trace.</param>
    /// <param name="files">Reads it where it is not known yet.</param>
    /// <returns>Null where it has none.</returns>
    public ImageIdentity? Of(string traceName, IImageFiles files)
    {
        ArgumentNullException.ThrowIfNull(files);
        if (!_identities.TryGetValue(traceName, out ImageIdentity? identity))
        {
            if (_identities.Count == MostFiles)
            {
                _identities.Clear();
            }

            identity = files.Read(traceName);
            _identities.Add(traceName, identity);
        }

        return identity;
    }

    /// <summary>Forgets all.</summary>
    public void Clear() => _identities.Clear();
}
