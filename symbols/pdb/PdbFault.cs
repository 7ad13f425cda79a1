namespace Tracer.Symbols.Pdb;

/// <summary>Why a file can't be read as a PDB at all.</summary>
public enum PdbFaultKind
{
    /// <summary>None of the formats that are called PDB.</summary>
    NotPdb,

    /// <summary>A portable PDB ("BSJB"): the metadata of managed code, without native addresses.</summary>
    Portable,

    /// <summary>The container before version 7.0 (Visual C++ 6 and earlier), or the even older one of 1.0.</summary>
    OldContainer,

    /// <summary>A container whose first pages contradict themselves or the length of the file.</summary>
    DamagedContainer,

    /// <summary>A sound container that lacks what every PDB has: the stream with the PDB's identity.</summary>
    NoIdentity,
}

/// <summary>A file that can't be read as a PDB.</summary>
/// <param name="Kind">What is wrong.</param>
/// <param name="FileOffset">Where that is seen, in bytes from the beginning of the file.</param>
/// <param name="Message">The same in a sentence of one line.</param>
public sealed record PdbFault(PdbFaultKind Kind, long FileOffset, string Message);

/// <summary>A part of a PDB that contradicts itself: it was left out, everything else is read.</summary>
/// <param name="FileOffset">Where it is, in bytes from the beginning of the file.</param>
/// <param name="Message">What is wrong, in a sentence of one line.</param>
public readonly record struct PdbDamage(long FileOffset, string Message);
