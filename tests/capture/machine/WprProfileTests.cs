using System.Globalization;
using System.Xml.Linq;
using Tracer.Etl;
using Tracer.Tests;

namespace Tracer.Capture.Tests;

/// <summary>The profile for wpr asks for what our own recorder asks for, and for nothing else.</summary>
public sealed class WprProfileTests
{
    /// <summary>Names that wpr has for our keywords; the others go by their mask.</summary>
    private static readonly Dictionary<string, string> WprNames = new()
    {
        ["PROCESS"] = "ProcessThread",
        ["THREAD"] = "ProcessThread",
        ["LOADER"] = "Loader",
        ["DPC"] = "DPC",
        ["INTERRUPT"] = "Interrupt",
        ["CSWITCH"] = "CSwitch",
        ["DISPATCHER"] = "ReadyThread",
        ["PROFILE"] = "SampledProfile",
        ["HARD_FAULTS"] = "HardFaults",
        ["WDF_DPC"] = "WDFDPC",
        ["WDF_INTERRUPT"] = "WDFInterrupt",
        ["IDLE_STATES"] = "IdleStates",
        ["POWER"] = "Power",
    };

    private static readonly XDocument Profile = XDocument.Load(Path.Combine(RepositoryFiles.Root, "samples", "latency.wprp"));

    [Fact]
    public void Its_keywords_are_the_recorders() => Assert.Equal(
        RecordedEvents.Recorder.Select(one => WprNames.GetValueOrDefault(one.Name, Hex(one.Mask, 8))).Distinct()
            .Order(StringComparer.Ordinal),
        Values("SystemProvider", "Keyword").Concat(Values("SystemProvider", "CustomKeyword")).Order(StringComparer.Ordinal));

    [Fact]
    public void Its_stacks_are_the_recorders()
    {
        var hooks = new Dictionary<string, string> { ["SampledProfile"] = "0x0F2E", ["ReadyThread"] = "0x0532" };
        Assert.Equal(
            RecordedEvents.Stacks.Select(one => Hex(((uint)one.Group << 8) | one.Opcode, 4)).Order(StringComparer.Ordinal),
            Values("SystemProvider", "Stack").Select(name => hooks[name]).Concat(Values("SystemProvider", "CustomStack"))
                .Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Its_providers_are_the_recorders_and_are_switched_on()
    {
        XElement[] providers = [.. Profile.Descendants("EventProvider")];
        Assert.Equal(
            RecordedEvents.Providers.Select(one => one.Id).Order(),
            providers.Select(one => Guid.Parse(one.Attribute("Name")!.Value)).Order());
        Assert.Equal(
            RecordedEvents.Providers.Where(one => one.Level < 5).Select(one => (one.Id, one.Level)),
            providers.Where(one => one.Attribute("Level") is not null)
                .Select(one => (Guid.Parse(one.Attribute("Name")!.Value), byte.Parse(one.Attribute("Level")!.Value))));
        Assert.Equal(
            providers.Select(one => one.Attribute("Id")!.Value),
            Profile.Descendants("EventProviderId").Select(one => one.Attribute("Value")!.Value));
    }

    /// <summary>The group of a kernel event, as its hook id has it, is that of KernelGroup.</summary>
    [Fact]
    public void Hook_ids_are_group_and_opcode() => Assert.Equal((0x0F, 0x05), ((int)KernelGroup.PerfInfo, (int)KernelGroup.Thread));

    private static IEnumerable<string> Values(string parent, string name) =>
        Profile.Descendants(parent).Descendants(name).Select(one => one.Attribute("Value")!.Value);

    private static string Hex(uint value, int digits) =>
        "0x" + value.ToString($"X{digits.ToString(CultureInfo.InvariantCulture)}", CultureInfo.InvariantCulture);
}
