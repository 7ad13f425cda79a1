namespace Tracer.Symbols.Pdb;

/// <summary>
/// Optional streams, by their place in the last part of the debug information: 16-bit stream numbers, FFFF for none (microsoft-pdb,
/// langapi/include/pdb.h: DBGTYPE).
/// </summary>
internal enum DebugStream
{
    /// <summary>FPO_DATA of 32-bit x86: see <see cref="FrameTable"/>.</summary>
    Fpo = 0,

    /// <summary>From the image that a tool made to the image that the linker made: see <see cref="OmapTable"/>.</summary>
    OmapToSource = 3,

    /// <summary>The other way.</summary>
    OmapFromSource = 4,

    /// <summary>The section headers of the image.</summary>
    SectionHeaders = 5,

    /// <summary>FRAMEDATA of 32-bit x86: see <see cref="FrameTable"/>.</summary>
    NewFpo = 9,

    /// <summary>The section headers before a tool moved code; the PDB's addresses are theirs.</summary>
    OriginalSectionHeaders = 10,
}
