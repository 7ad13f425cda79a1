using Tracer.Capture.Driver.Modules;

namespace Tracer.Capture.Tests;

/// <summary>A kernel that shows no modules.</summary>
internal sealed class FakeModules : IKernelModules
{
    public IReadOnlyList<KernelModule> List() => [];
}
