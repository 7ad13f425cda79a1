namespace Tracer.Etl.Decoding;

/// <summary>
/// The WPP messages of trace message format files, by message GUID and number. Reads at most <see cref="MaximumBytes"/> of text.
/// </summary>
public sealed class TmfCatalog
{
    /// <summary>Text read over all files; files that would exceed it are left out and counted.</summary>
    public const long MaximumBytes = 256L << 20;

    private readonly Dictionary<(Guid Id, ushort Number), WppMessage> _messages = [];
    private long _bytes;

    /// <summary>Messages known.</summary>
    public int Count => _messages.Count;

    /// <summary>Messages, arguments, enumerations and files that could not be read.</summary>
    public int Malformed { get; private set; }

    /// <summary>Reads files.</summary>
    /// <param name="paths">Files, and folders of which every *.tmf is read.</param>
    /// <exception cref="IOException">A file or folder is not there, or cannot be read.</exception>
    public static TmfCatalog Load(params IEnumerable<string> paths)
    {
        ArgumentNullException.ThrowIfNull(paths);
        var catalog = new TmfCatalog();
        foreach (string path in paths)
        {
            string[] files = Directory.Exists(path) ? Directory.GetFiles(path, "*.tmf") : [path];
            Array.Sort(files, StringComparer.Ordinal);
            foreach (string file in files)
            {
                catalog.AddFile(file);
            }
        }

        return catalog;
    }

    /// <summary>Adds the messages of a text; the first description of a message counts.</summary>
    /// <param name="text">The text of a file.</param>
    public void Add(string text)
    {
        var file = TmfFile.Parse(text);
        Malformed += file.Malformed;
        foreach (WppMessage message in file.Messages)
        {
            _messages.TryAdd((message.Id, message.Number), message);
        }
    }

    /// <summary>The message with a GUID and a number; null when no file describes it.</summary>
    public WppMessage? Find(Guid id, ushort number) => _messages.GetValueOrDefault((id, number));

    private void AddFile(string file)
    {
        long bytes = new FileInfo(file).Length;
        if (_bytes + bytes > MaximumBytes)
        {
            Malformed++;
            return;
        }

        _bytes += bytes;
        Add(File.ReadAllText(file));
    }
}
