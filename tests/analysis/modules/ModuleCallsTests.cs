using System.Text;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Modules;

/// <summary>Which modules that no table knows are frameworks, by whom they call how often.</summary>
public class ModuleCallsTests
{
    [Theory]
    [InlineData(1, 1, 0, true)]
    [InlineData(2, 0, 0, false)]
    [InlineData(4, 4, 2, true)]
    [InlineData(4, 4, 3, false)]
    public void It_calls_two_drivers_and_is_seldom_on_top_itself(int one, int other, int own, bool isFramework)
    {
        Assert.Equal(isFramework, Calls(
            (one, "one.sys+0x10 unlisted.sys+0x10 nt+0x10"),
            (other, "other.sys+0x10 unlisted.sys+0x10 nt+0x10"),
            (own, "unlisted.sys+0x20 unlisted.sys+0x10 nt+0x10")).Frameworks.Contains("unlisted.sys"));
    }

    [Fact]
    public void Calling_frameworks_layers_and_the_kernel_makes_none() => Assert.Empty(Calls(
        (5, "ndis.sys+0x10 unlisted.sys+0x10 nt+0x10"),
        (5, "Wdf01000.sys+0x10 unlisted.sys+0x10 nt+0x10"),
        (5, "tcpip.sys+0x10 unlisted.sys+0x10 nt+0x10"),
        (5, "nt+0x20 unlisted.sys+0x10 nt+0x10")).Frameworks);

    [Fact]
    public void Who_calls_only_through_a_framework_does_not_call() => Assert.Empty(Calls(
        (5, "one.sys+0x10 ndis.sys+0x10 unlisted.sys+0x10 nt+0x10"),
        (5, "other.sys+0x10 ndis.sys+0x10 unlisted.sys+0x10 nt+0x10")).Frameworks);

    [Fact]
    public void Helpers_of_the_same_vendor_are_part_of_a_driver()
    {
        (int, string)[] stacks =
        [
            (5, "one.sys+0x10 unlisted.sys+0x10 nt+0x10"),
            (5, "other.sys+0x10 unlisted.sys+0x10 nt+0x10"),
        ];
        Assert.Empty(Calls("Contoso", "Contoso", stacks).Frameworks);
        Assert.Empty(Calls("Contoso", "Fabrikam", stacks).Frameworks);
        Assert.Equal(["unlisted.sys"], Calls("Fabrikam", "Northwind", stacks).Frameworks);
    }

    [Fact]
    public void Whoever_has_routines_threads_or_devices_answers_for_itself()
    {
        ModuleCalls calls = Calls((1, "one.sys+0x10 unlisted.sys+0x10 nt+0x10"));
        Assert.Equal(
            (true, true, true, true, false, false),
            (calls.IsIndependent("with-dpc.sys"), calls.IsIndependent("With-ISR.sys"), calls.IsIndependent("thread.sys"),
                calls.IsIndependent("nic.sys"), calls.IsIndependent("one.sys"), calls.IsIndependent("ndis.sys")));
    }

    private static ModuleCalls Calls(params (int Times, string Stack)[] stacks) => Calls("Fabrikam", "Northwind", stacks);

    private static ModuleCalls Calls(string one, string other, params (int Times, string Stack)[] stacks)
    {
        // A version resource is found by the size of the image.
        var text = new StringBuilder($"""
            interval 1ms
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image unlisted.sys 0xFFFFF800_20000000 0x101000 company Contoso
            image one.sys      0xFFFFF800_21000000 0x102000 company {one}
            image other.sys    0xFFFFF800_22000000 0x103000 company {other}
            image ndis.sys     0xFFFFF800_23000000 0x104000
            image Wdf01000.sys 0xFFFFF800_24000000 0x105000
            image tcpip.sys    0xFFFFF800_25000000 0x106000
            image with-dpc.sys 0xFFFFF800_26000000 0x107000
            image with-isr.sys 0xFFFFF800_27000000 0x108000
            image thread.sys   0xFFFFF800_28000000 0x109000
            image nic.sys      0xFFFFF800_29000000 0x10A000
            process 4 System
            thread 50 of 4 start thread.sys+0x10
            thread 60 of 4 start nt+0x10
            device nic class net NIC
            every 100us from 500us to 700us : +10us cpu0 dpc with-dpc.sys+0x10 from +0us
            every 100us from 520us to 720us : +10us cpu0 isr with-isr.sys+0x10 from +0us
            every 100us from 540us to 740us : +10us cpu0 dpc ndis.sys+0x10 from +0us

            """);
        int at = 0;
        foreach ((int times, string stack) in stacks)
        {
            for (int i = 0; i < times; i++)
            {
                string[] frames = stack.Split(' ', 2);
                text.Append(CultureInfo.InvariantCulture, $"{++at}ms cpu0 sample {frames[0]} thread 60 stack {frames[1]}\n");
            }
        }

        byte[] file = ScenarioFile.Write(ScenarioText.Read("calls", text.Append("expect\nverdict none\n").ToString()));
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        return ModuleCalls.Of(TraceFacts.Read(reader));
    }
}
