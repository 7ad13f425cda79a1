using Tracer.Symbols;

namespace Tracer.Capture.Merge;

/// <summary>Files of images, by the names that traces give them. Only files that a trace names are looked at.</summary>
public interface IImageFiles
{
    /// <summary>Reads what identifies an image file.</summary>
    /// <param name="traceName">An NT path as in an image record: <c>\SystemRoot\...</c>, <c>\Device\HarddiskVolume3\...</c>.</param>
    /// <returns>Null where there is no such file, it may not be read, or it is no image.</returns>
    ImageIdentity? Read(string traceName);

    /// <summary>What changes when a file is replaced; costs no reading.</summary>
    /// <returns>Null where there is no such file, or nothing is known of it: then it is read for each trace.</returns>
    ImageFileStamp? StampOf(string traceName) => null;

    /// <summary>The volumes of the machine: <c>\Device\HarddiskVolume3\</c> is <c>C:\</c>.</summary>
    IReadOnlyList<VolumeName> Volumes { get; }
}

/// <summary>Tells a file from the one that replaced it.</summary>
/// <param name="CreatedUtc">When it was made: an installer that keeps the time of its package still makes the file anew.</param>
public readonly record struct ImageFileStamp(long Bytes, DateTime WrittenUtc, DateTime CreatedUtc);

/// <summary>What identifies an image file.</summary>
/// <param name="Id">Time stamp and size in its header: the same file as is loaded only if they are the image record's.</param>
/// <param name="Pdb">Its PDB; null where it names none.</param>
/// <param name="PdbName">Name or path of the PDB as the linker wrote it; empty without one.</param>
/// <param name="Version">Its version texts; null where it has none.</param>
public sealed record ImageIdentity(ImageId Id, PdbId? Pdb, string PdbName, ImageVersionTexts? Version);

/// <summary>The texts of an image's version resource that merged traces carry (ImageID opcode 64).</summary>
public sealed record ImageVersionTexts
{
    public string OriginalFileName { get; init; } = "";

    public string Description { get; init; } = "";

    /// <summary>Version as the vendor writes it.</summary>
    public string FileVersion { get; init; } = "";

    public string NumberVersion { get; init; } = "";

    public string Product { get; init; } = "";

    public string Company { get; init; } = "";

    public string ProductVersion { get; init; } = "";
}

/// <summary>Two names of a volume.</summary>
/// <param name="NtPath">As in image records, with the closing backslash: <c>\Device\HarddiskVolume3\</c>.</param>
/// <param name="DosPath">As users know it: <c>C:\</c>.</param>
public readonly record struct VolumeName(string NtPath, string DosPath);
