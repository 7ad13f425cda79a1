using System.IO.Compression;

namespace Tracer.WindowsProof;

/// <summary>
/// What a run on Windows left: a folder, or a zip of it, or the bundle of <c>tracer doctor --self-test</c> alone. A file that is not there
/// is null, and so is one beyond what such a file can be.
/// </summary>
public sealed class ProofFolder
{
    /// <summary>Reports and tables have a few MB; traces are not read.</summary>
    private const long MostBytes = 256L << 20;

    private const string BundleName = "proof.zip";

    private readonly Dictionary<string, Func<byte[]?>> _files = new(StringComparer.OrdinalIgnoreCase);

    private ProofFolder(string name) => Name = name;

    /// <summary>Its name, which the workflow makes that of the runner.</summary>
    public string Name { get; }

    /// <param name="path">Folder or zip file.</param>
    /// <exception cref="IOException">It can't be read.</exception>
    /// <exception cref="InvalidDataException">The file is no zip.</exception>
    public static ProofFolder Open(string path)
    {
        var folder = new ProofFolder(Path.GetFileNameWithoutExtension(Path.TrimEndingDirectorySeparator(Path.GetFullPath(path))));
        if (Directory.Exists(path))
        {
            foreach (string file in Directory.EnumerateFiles(path, "*", SearchOption.AllDirectories))
            {
                string name = Path.GetRelativePath(path, file).Replace('\\', '/');
                folder._files[name] = () => new FileInfo(file).Length > MostBytes ? null : File.ReadAllBytes(file);
            }
        }
        else
        {
            folder.AddZip(File.ReadAllBytes(path));
        }

        if (folder.Read(BundleName) is { } bundle)
        {
            folder.AddZip(bundle);
        }

        return folder;
    }

    /// <summary>Whether a file is there and has something in it.</summary>
    /// <param name="name">Its path in the folder, with slashes.</param>
    public bool Has(string name) => Read(name) is { Length: > 0 };

    /// <summary>The bytes of a file.</summary>
    /// <param name="name">Its path in the folder, with slashes.</param>
    public byte[]? Read(string name) => _files.TryGetValue(name, out Func<byte[]?>? read) ? read() : null;

    /// <summary>The text of a file, whatever its encoding: PowerShell writes UTF-8 and UTF-16.</summary>
    /// <param name="name">Its path in the folder, with slashes.</param>
    public string? Text(string name)
    {
        if (Read(name) is not { } bytes)
        {
            return null;
        }

        using var reader = new StreamReader(new MemoryStream(bytes), detectEncodingFromByteOrderMarks: true);
        return reader.ReadToEnd();
    }

    /// <summary>Names of the files of a folder in it.</summary>
    /// <param name="folder">Its path, with a slash at the end.</param>
    public IEnumerable<string> In(string folder) =>
        _files.Keys.Where(name => name.StartsWith(folder, StringComparison.OrdinalIgnoreCase)).Order(StringComparer.Ordinal);

    private void AddZip(byte[] bytes)
    {
        using var archive = new ZipArchive(new MemoryStream(bytes), ZipArchiveMode.Read);
        foreach (ZipArchiveEntry entry in archive.Entries.Where(static one => one.Length is > 0 and <= MostBytes))
        {
            string name = entry.FullName;
            _files.TryAdd(name.Replace('\\', '/'), () => Bytes(bytes, name));
        }
    }

    private static byte[]? Bytes(byte[] zip, string name)
    {
        using var archive = new ZipArchive(new MemoryStream(zip), ZipArchiveMode.Read);
        using Stream entry = archive.GetEntry(name)!.Open();
        using var content = new MemoryStream();
        byte[] part = new byte[81_920];
        for (int read = entry.Read(part); read > 0; read = entry.Read(part))
        {
            if (content.Length + read > MostBytes)
            {
                return null; // It says another length than it has.
            }

            content.Write(part, 0, read);
        }

        return content.ToArray();
    }
}
