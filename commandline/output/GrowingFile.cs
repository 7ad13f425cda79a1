namespace Tracer.CommandLine;

/// <summary>
/// A file that grows line by line and is of use at any time, so that whoever is killed can go on: unlike an <see cref="OutputFile"/> it
/// stands under its name from the start, and what it held stays.
/// </summary>
public static class GrowingFile
{
    /// <summary>What follows the name of a file in that of its lock.</summary>
    private const string LockEnding = ".lock";

    private const int Attempts = 5;

    /// <returns>The file, to be read and then written from wherever its reader stops.</returns>
    /// <exception cref="IOException">It cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be.</exception>
    public static FileStream Open(string path) => new(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read);

    /// <summary>
    /// Bars other runs from a file as long as this one goes on: by a file beside it that is locked, which systems release by themselves
    /// when the process ends. A share of NFS that is mounted without locks bars only those of this computer.
    /// </summary>
    /// <returns>To be disposed of when the file is whole.</returns>
    /// <exception cref="IOException">Another run writes the file, or files cannot be locked there.</exception>
    /// <exception cref="UnauthorizedAccessException">No file may be made there.</exception>
    public static IDisposable Lock(string path)
    {
        RawFileName.RefuseToMake(path);
        string name = path + LockEnding;
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            FileStream held = Taken(path, name);
            try
            {
                // Whoever can open it all the same shows that nothing is locked, or that the name went to another file meanwhile.
                using var second = new FileStream(name, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
                held.Dispose();
            }
            catch (FileNotFoundException)
            {
                held.Dispose();
            }
            catch (IOException)
            {
                return held;
            }
        }

        throw new IOException($"{path}: files cannot be locked in this folder, so that a second run could destroy it: "
            + "write to another folder");
    }

    private static FileStream Taken(string path, string name)
    {
        try
        {
            return new FileStream(name, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, 1, FileOptions.DeleteOnClose);
        }
        catch (IOException fault) when (fault is not (FileNotFoundException or DirectoryNotFoundException or PathTooLongException)
            && File.Exists(name))
        {
            throw new IOException($"{path} is being written by another run: wait until that has ended, or write to another file", fault);
        }
    }
}
