namespace Tracer.Capture.Tests.Driver;

/// <summary>A kernel that shows no modules.</summary>
internal sealed class FakeModules : IKernelModules
{
    public IReadOnlyList<KernelModule> List() => [];
}
