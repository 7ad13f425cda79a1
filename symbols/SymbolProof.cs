namespace Tracer.Symbols;

/// <summary>Where the name of an address comes from, the best first. A nearest export is no proof and is never given.</summary>
public enum SymbolProof
{
    /// <summary>A procedure of the PDB's private symbols.</summary>
    Private,

    /// <summary>A public symbol of the PDB.</summary>
    Public,

    /// <summary>An export of the image, whose unwind data says that the address lies in that function.</summary>
    Export,

    /// <summary>A function bound from the image's unwind data, without a name: <c>module!sub_1a2b0</c>.</summary>
    Pdata,

    /// <summary>Only the module: <c>module+0x1a2b7</c>.</summary>
    Module,
}
