using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

public class VerdictLineTests
{
    [Theory]
    [InlineData(Verdict.Driver, "nic.sys", "driver nic.sys")]
    [InlineData(Verdict.Process, "scan.exe (88)", "process scan.exe (88)")]
    [InlineData(Verdict.Kernel, CulpritName.HardPageFaults, "kernel hard page faults")]
    [InlineData(Verdict.Hardware, CulpritName.HardwareOrFirmware, "hardware/firmware")]
    [InlineData(Verdict.Hardware, CulpritName.Hypervisor, "hypervisor")]
    [InlineData(Verdict.Power, CulpritName.PowerManagement, "power management")]
    [InlineData(Verdict.None, null, "nobody to blame")]
    [InlineData(Verdict.Unknown, null, "unknown")]
    public void TheKindStandsBeforeANameThatDoesNotSayIt(Verdict verdict, string? culprit, string line)
    {
        CapturedEpisode analysed = StatusSample.Episode(1, 2_100, "nic.sys");
        Assert.Equal(line, (analysed with { Blame = analysed.Blame! with { Verdict = verdict, Culprit = culprit } }).VerdictLine);
    }

    [Fact]
    public void WithoutAnAnalysisThereIsNoVerdict() => Assert.Equal("not analysed", StatusSample.Episode(1, 2_100, null).VerdictLine);
}
