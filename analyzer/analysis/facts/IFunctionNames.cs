using Tracer.Symbols;

namespace Tracer.Analysis.Facts;

/// <summary>Names functions of images from symbols, exports or unwind data; finds the files itself.</summary>
public interface IFunctionNames
{
    /// <summary>Finds the function that holds an address.</summary>
    /// <param name="rva">The address, from the image's base, in bytes.</param>
    /// <returns>False where no source names the function: then only module and offset are known.</returns>
    bool TryFind(LoadedImage image, uint rva, out NamedFunction function);
}

/// <param name="Name">The function's demangled name without the module.</param>
/// <param name="Offset">Offset of the requested address from the start of the function, in bytes.</param>
public readonly record struct NamedFunction(string Name, uint Offset, SymbolProof Proof);
