using System.Xml.Linq;
using Tracer.Capture.Sessions;

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

    /// <summary>The profile for a recording by hand, and the one for the start of Windows.</summary>
    public static TheoryData<string> Profiles => ["latency.wprp", "latency-boot.wprp"];

    [Theory]
    [MemberData(nameof(Profiles))]
    public void Its_keywords_are_the_recorders(string profile) => Assert.Equal(
        RecordedEvents.Recorder.Select(one => WprNames.GetValueOrDefault(one.Name, Hex(one.Mask, 8))).Distinct()
            .Order(StringComparer.Ordinal),
        Values(profile, "SystemProvider", "Keyword").Concat(Values(profile, "SystemProvider", "CustomKeyword"))
            .Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Profiles))]
    public void Its_stacks_are_the_recorders(string profile)
    {
        var hooks = new Dictionary<string, string> { ["SampledProfile"] = "0x0F2E", ["ReadyThread"] = "0x0532" };
        Assert.Equal(
            RecordedEvents.Stacks.Select(one => Hex(((uint)one.Group << 8) | one.Opcode, 4)).Order(StringComparer.Ordinal),
            Values(profile, "SystemProvider", "Stack").Select(name => hooks[name]).Concat(Values(profile, "SystemProvider", "CustomStack"))
                .Order(StringComparer.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Profiles))]
    public void Its_providers_are_the_recorders_and_are_switched_on(string profile)
    {
        XElement[] providers = [.. Of(profile).Descendants("EventProvider")];
        Assert.Equal(
            RecordedEvents.Providers.Select(one => one.Id).Order(),
            providers.Select(one => Guid.Parse(one.Attribute("Name")!.Value)).Order());
        Assert.Equal(
            RecordedEvents.Providers.Where(one => one.Level < 5).Select(one => (one.Id, one.Level)),
            providers.Where(one => one.Attribute("Level") is not null)
                .Select(one => (Guid.Parse(one.Attribute("Name")!.Value), byte.Parse(one.Attribute("Level")!.Value))));
        Every.Item(providers.Where(one => one.Element("EventFilters") is not null), one => Assert.Equal(
            RecordedEvents.Providers.Single(asked => asked.Id == Guid.Parse(one.Attribute("Name")!.Value)).EventIds,
            one.Element("EventFilters")!.Elements("EventId").Select(id => ushort.Parse(id.Attribute("Value")!.Value))));
        Assert.Equal(
            providers.Select(one => one.Attribute("Id")!.Value),
            Of(profile).Descendants("EventProviderId").Select(one => one.Attribute("Value")!.Value));
    }

    /// <summary>The group of a kernel event, as its hook id has it, is that of KernelGroup.</summary>
    [Fact]
    public void Hook_ids_are_group_and_opcode() => Assert.Equal((0x0F, 0x05), ((int)KernelGroup.PerfInfo, (int)KernelGroup.Thread));

    /// <summary>wpr takes a profile by its id, which is its name, detail level and mode; the boot one goes to a file only.</summary>
    [Theory]
    [InlineData("latency.wprp", "Latency.Verbose.File", "Latency.Verbose.Memory")]
    [InlineData("latency-boot.wprp", "LatencyBoot.Verbose.File")]
    public void Its_ids_are_name_level_and_mode(string profile, params string[] ids)
    {
        XElement[] profiles = [.. Of(profile).Descendants("Profile")];
        Assert.Equal(ids, profiles.Select(static one => one.Attribute("Id")!.Value));
        Assert.Equal(ids, profiles.Select(static one => string.Join(
            '.', one.Attribute("Name")!.Value, one.Attribute("DetailLevel")!.Value, one.Attribute("LoggingMode")!.Value)));
    }

    private static XDocument Of(string profile) => XDocument.Load(Path.Combine(RepositoryFiles.Root, "samples", profile));

    private static IEnumerable<string> Values(string profile, string parent, string name) =>
        Of(profile).Descendants(parent).Descendants(name).Select(one => one.Attribute("Value")!.Value);

    private static string Hex(uint value, int digits) =>
        "0x" + value.ToString($"X{digits.ToString(CultureInfo.InvariantCulture)}", CultureInfo.InvariantCulture);
}
