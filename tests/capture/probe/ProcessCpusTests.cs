using Tracer.Windows;

#pragma warning disable CA1416 // No call of Windows: arithmetic on its answer.

namespace Tracer.Capture.Tests;

/// <summary>A process has the CPUs of its mask, numbered over all groups; not as many as the machine has.</summary>
public sealed class ProcessCpusTests
{
    [Theory]
    [InlineData(0b1101ul, 0, new[] { 0, 2, 3 })]
    [InlineData(0x8000_0000_0000_0001ul, 64, new[] { 64, 127 })]
    [InlineData(0ul, 64, new[] { 64 })]
    public void TheBitsOfAMaskAreCpusOfItsGroup(ulong mask, int first, int[] cpus)
    {
        Assert.SkipWhen(nint.Size != sizeof(ulong), "a 64-bit process");
        Assert.Equal(cpus, ProcessCpus.Of((nuint)mask, first));
    }
}
