using Tracer.AnalyzerCommand.Commands.Diff;

namespace Tracer.Commands.Tests.Diff;

/// <summary>What tells two machines apart.</summary>
public class DiffConclusionTests
{
    /// <summary>A trace of an older Windows may not tell the processor; the machine may be the same all the same.</summary>
    [Theory]
    [InlineData("processor", "AMD Ryzen 7 7600X", null, false)]
    [InlineData("processor", "AMD Ryzen 7 7600X", "AMD Ryzen 7 7700X", true)]
    [InlineData("model", null, "Model 4208", false)]
    [InlineData("OS version", "Windows build 15063, 64-bit", "Windows build 7601, 64-bit", false)]
    public void Only_what_both_sides_tell_makes_two_machines(string row, string? old, string? now, bool areDifferent) =>
        Assert.Equal(areDifferent, DiffConclusion.AreDifferent([new MachineChange(row, old, now)]));
}
