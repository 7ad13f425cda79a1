namespace Tracer.Symbols;

/// <summary>Processor that an image was made for: the field Machine of its file header. Other values are possible.</summary>
public enum PeMachine : ushort
{
    /// <summary>None is named.</summary>
    Unknown = 0,

    /// <summary>32-bit x86.</summary>
    X86 = 0x014C,

    /// <summary>32-bit ARM, Thumb-2.</summary>
    Arm32 = 0x01C4,

    /// <summary>64-bit x86, also images that hold ARM64EC code.</summary>
    X64 = 0x8664,

    /// <summary>64-bit ARM, also ARM64X images.</summary>
    Arm64 = 0xAA64,

    /// <summary>ARM64EC, as it stands in object files.</summary>
    Arm64Ec = 0xA641,
}
