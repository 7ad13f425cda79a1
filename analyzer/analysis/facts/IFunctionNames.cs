using Tracer.Symbols;

namespace Tracer.Analysis;

/// <summary>Names functions of images, from symbols, exports or unwind data; finds the files itself.</summary>
public interface IFunctionNames
{
    /// <summary>Finds the function that holds an address.</summary>
    /// <param name="image">The image.</param>
    /// <param name="rva">The address, from the image's base, in bytes.</param>
    /// <param name="function">The function.</param>
    /// <returns>False where nothing names it: module and offset are all there is.</returns>
    bool TryFind(LoadedImage image, uint rva, out NamedFunction function);
}

/// <summary>A function as a source of names knows it.</summary>
/// <param name="Name">Its name without the module, demangled.</param>
/// <param name="Offset">The address that was asked for, from the function's begin, in bytes.</param>
/// <param name="Proof">What the name rests on.</param>
public readonly record struct NamedFunction(string Name, uint Offset, SymbolProof Proof);
