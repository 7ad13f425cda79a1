using Tracer.Capture.Driver.Modules;

namespace Tracer.Capture.Tests;

internal sealed class FakeModules : IKernelModules
{
    public IReadOnlyList<KernelModule> List() => [];
}
