namespace Tracer.Symbols;

/// <summary>How the bytes of an image are arranged.</summary>
public enum PeLayout
{
    /// <summary>As a file: each section stands where its header says.</summary>
    File,

    /// <summary>As the loader mapped it: the byte of an RVA stands at that offset, as in a memory dump.</summary>
    Mapped,
}
