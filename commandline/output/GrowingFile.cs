namespace Tracer.CommandLine;

/// <summary>
/// A file that grows line by line and is of use at any time, so that whoever is killed can go on: unlike an <see cref="OutputFile"/> it
/// stands under its name from the start, and what it held stays.
/// </summary>
public static class GrowingFile
{
    /// <summary>Opens it, or makes it.</summary>
    /// <returns>The file, to be read and then written from wherever its reader stops.</returns>
    /// <exception cref="IOException">It cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be.</exception>
    public static FileStream Open(string path) => new(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read);
}
