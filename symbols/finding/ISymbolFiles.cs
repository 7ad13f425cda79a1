namespace Tracer.Symbols;

/// <summary>
/// The files that symbols are found in. The library opens none itself: commands give <see cref="DiskSymbolFiles"/>, tests what they like.
/// Nothing here throws because of what is on the disk. Safe for several threads at once.
/// </summary>
public interface ISymbolFiles
{
    /// <summary>Whether there is a file or folder of exactly this path.</summary>
    bool Exists(string path);

    /// <summary>The names of the files and folders in a folder; none if it is not there or can't be read.</summary>
    IEnumerable<string> NamesIn(string folder);

    /// <summary>Opens a file.</summary>
    /// <param name="path">Its path.</param>
    /// <param name="problem">Why not, as a sentence's end ("can't be read: ..."); null if it is not there.</param>
    /// <returns>Its bytes, which whoever asks disposes of if they are <see cref="IDisposable"/>; null if it can't be opened.</returns>
    SymbolBytes? Open(string path, out string? problem);

    /// <summary>Begins a file that gets its name when it is complete.</summary>
    /// <param name="store">The folder of the store that it is for, which is made if it is not there.</param>
    /// <param name="problem">Why not, as a sentence's end: "can't be written: ...".</param>
    ISymbolFileDraft? Begin(string store, out string? problem);
}

/// <summary>A file that is being written under a name of its own. Disposed of, it is gone unless it was kept.</summary>
public interface ISymbolFileDraft : IDisposable
{
    /// <summary>Its bytes so far: written in order, cut to be begun again.</summary>
    Stream Content { get; }

    /// <summary>What was written, to be checked before it is kept; to be disposed of before <see cref="TryKeep"/>.</summary>
    /// <param name="problem">Why it can't be read back, as a sentence's end.</param>
    SymbolBytes? Open(out string? problem);

    /// <summary>
    /// Gives it its name in one step: others see the whole file or none. A file that has the name already is replaced; two processes may do
    /// this at once.
    /// </summary>
    /// <param name="path">The path, in the store that it was begun for; its folders are made if they are not there.</param>
    /// <param name="problem">Why not, as a sentence's end.</param>
    bool TryKeep(string path, out string? problem);
}
