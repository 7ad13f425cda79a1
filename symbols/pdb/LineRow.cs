namespace Tracer.Symbols.Pdb;

/// <summary>Code from an address on, to the next row, comes from this line.</summary>
/// <param name="Rva">The address.</param>
/// <param name="Line">The line, from 1, or one of the marks below.</param>
/// <param name="File">Place of the file among the module's checksums.</param>
internal readonly record struct LineRow(uint Rva, uint Line, uint File)
{
    /// <summary>Compilers mark code without a line so: "always step into" and "never step into" (cvinfo.h).</summary>
    private const uint AlwaysStepInto = 0xFEEFEE;

    private const uint NeverStepInto = 0xF00F00;

    public bool HasLine => Line is not (0 or AlwaysStepInto or NeverStepInto);
}
