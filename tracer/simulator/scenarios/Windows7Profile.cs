using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// The usual case on Windows 7 with 64 bits: a network miniport's long DPC belongs to ndis.sys by its record, and every sample that would
/// show the miniport lies in the profile interrupt's own ISR record of hal.dll.
/// </summary>
internal static class Windows7Profile
{
    public static Scenario Scenario { get; } = NdisMiniport.Scenario with
    {
        Name = "win7-profile",
        Explanation = "Windows 7: a network miniport runs for 2 to 5 ms behind ndis.sys; each sample lies in an ISR record of hal.dll.",
        Suits = build => build == WindowsBuild.Windows7,
        ShowsWithoutReadyThreads = true,
        Build = machine =>
        {
            ScenarioTruth truth = NdisMiniport.Scenario.Build(machine);
            return truth with { Innocents = [.. truth.Innocents, machine.Inventory[ImageRole.Hal].FileName] };
        },
    };
}
