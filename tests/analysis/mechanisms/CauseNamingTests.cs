using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Mechanisms;

/// <summary>
/// On a hypervisor CPU 0 serves nothing from 20 to 23.5 ms: it was kept from running, unless our driver counted a system management
/// interrupt then.
/// </summary>
public class CauseNamingTests
{
    [Theory]
    [InlineData("23.6ms cpu0 smis 1 since 20.9ms", true, Mechanism.Blackout)]
    [InlineData("24ms cpu0 smis 1 since 23.5ms", true, Mechanism.Blackout)]
    [InlineData("24ms cpu0 smis 1 since 23.501ms", true, Mechanism.Hypervisor)]
    [InlineData("11ms cpu0 smis 1 since 10ms", true, Mechanism.Hypervisor)]
    [InlineData("11ms cpu0 smis 1 since 10ms, 23.6ms cpu0 smis 2 since 20.9ms", true, Mechanism.Blackout)]
    [InlineData("23.6ms cpu0 smis 0 since 20.9ms", true, Mechanism.Hypervisor)]

    // One stops all CPUs.
    [InlineData("23.6ms cpu0 smis 1 since 20.9ms", false, Mechanism.Hypervisor)]
    public void The_firmware_did_it_where_an_smi_was_counted(string smis, bool stopsBoth, Mechanism mechanism)
    {
        BlameReport report = BlamedText.Of($"""
            cpus 2
            interval 1ms
            hypervisor
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            process 200 work.exe
            thread 210 of 200
            thread 220 of 200
            100us cpu0 switch 0(0) -> 210(8)
            100us cpu1 switch 0(0) -> 220(8)
            every 1ms from 1ms to 119ms but 21ms to 23ms : +0us cpu0 sample 0x401000 thread 210
            every 1ms from 1ms to 119ms{(stopsBoth ? " but 21ms to 23ms" : "")} : +0us cpu1 sample 0x402000 thread 220
            23.5ms cpu0 sample 0x401000 thread 210
            {(stopsBoth ? "23.5ms cpu1 sample 0x402000 thread 220" : "")}
            {smis.Replace(", ", "\n", StringComparison.Ordinal)}
            120ms cpu0 switch 210(8) -> 0(0)
            120ms cpu1 switch 220(8) -> 0(0)
            """);
        Assert.Equal(mechanism, report.Culprits[0].Mechanism);
    }
}
