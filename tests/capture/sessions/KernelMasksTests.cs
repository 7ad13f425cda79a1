using Tracer.Capture.Sessions;

namespace Tracer.Capture.Tests;

/// <summary>Values of Microsoft's headers end up in the word and bits they name.</summary>
public sealed class KernelMasksTests
{
    [Theory]
    [InlineData(0x8100_0000, 4, 0x0100_0000)] // PERF_WDF_DPC
    [InlineData(0x2004_0000, 1, 0x0004_0000)] // PERF_DPC_QUEUE
    [InlineData(0x0000_0007, 0, 0x0000_0007)]
    public void AValueGoesIntoItsWord(uint mask, int word, uint bits)
    {
        KernelMasks masks = default;
        Assert.False(masks.Has(mask));
        masks.Add(mask);
        Assert.True(masks.Has(mask));
        Assert.Equal(bits, masks[word]);
        Assert.NotEqual(default, masks);
    }
}
