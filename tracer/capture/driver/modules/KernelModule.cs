namespace Tracer.Capture.Driver.Modules;

/// <param name="Base">Its first address.</param>
/// <param name="ImageBytes">Bytes it takes in memory.</param>
/// <param name="Path">Its file, as Windows names it or as a plain path.</param>
public readonly record struct KernelModule(ulong Base, uint ImageBytes, string Path);

/// <summary>The images that the kernel of this machine has loaded.</summary>
public interface IKernelModules
{
    /// <summary>Lists them; empty where the system does not tell.</summary>
    IReadOnlyList<KernelModule> List();
}
