using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>What is left without the one that the user names: nic.sys takes 700 us of a wait, somebody unknown the rest.</summary>
public class WithoutCulpritsTests
{
    [Theory]
    [InlineData("nic.sys", "nic.sys", 1, 600)]
    [InlineData("NIC", "nic.sys", 1, 600)]
    [InlineData("NIC.SYS", "nic.sys", 1, 600)]
    [InlineData("ni", "ni", 1, 1_310)]
    [InlineData("nic.dll", "nic.dll", 1, 1_310)]
    [InlineData("", "", 1, 1_310)]
    public void A_name_is_meant_with_and_without_its_extension(string asked, string name, int episodes, int worst)
    {
        BlameReport report = BlamedText.Of(
            """
            cpus 1
            ask probe thread
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image nic.sys      0xFFFFF800_30000000 0x100000
            process 100 audio.exe
            process 200 work.exe
            thread 120 of 100 priority 24
            thread 210 of 200
            400us cpu0 switch 120(24) -> 210(8)
            1000us cpu0 ready 120
            1600us cpu0 dpc 0xFFFFF800_7777100 from 1000us
            2310us cpu0 dpc nic.sys+0x100 from 1600us
            2310us cpu0 switch 210(8) -> 120(24) old ready
            2400us cpu0 switch 120(24) -> 0(0)
            """,
            request => request with { Without = asked });
        LeftWithout left = report.Without!;
        Assert.Equal((name, episodes, (long?)worst), (left.Name, left.Episodes, left.Worst?.Nanoseconds / 1_000));
    }

    [Fact]
    public void Nothing_is_told_where_nobody_is_asked_for() =>
        Assert.Null(BlamedText.Of("cpus 1\n1ms cpu0 switch 0(0) -> 120(24)").Without);
}
