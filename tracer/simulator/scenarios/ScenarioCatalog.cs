namespace Tracer.Simulator;

/// <summary>All scenarios that can be simulated.</summary>
public static class ScenarioCatalog
{
    /// <summary>The scenarios in the order of <c>tracer simulate --list</c>.</summary>
    public static IReadOnlyList<Scenario> All { get; } =
    [
        CleanMachine.Scenario,
        NicAutosense.Scenario,
        NicReset.Scenario,
        NdisMiniport.Scenario,
        KmdfClient.WithEvents,
        KmdfClient.WithoutEvents,
        AcpiInterrupt.Isr,
        AcpiInterrupt.Method,
        MaskedInterrupts.Scenario,
        ManagementInterrupts.Scenario,
        VideoStall.Scenario,
        PriorityHog.Scenario,
        RaisedIrql.Scenario,
        DeviceStall.Scenario,
        MemoryScan.Scenario,
        VirusFilter.Scenario,
        WorkItems.Scenario,
        InputStarvation.Scenario,
        DescheduledProcessor.Scenario,
        HardPageFaults.Scenario,
        TimerBeat.Scenario,
        DeepIdle.Scenario,
        GarbageCollections.Scenario,
        SlowCore.Scenario,
        ParkedCores.Scenario,
        Miniports.Display,
        Miniports.Storage,
        UsbStorm.Scenario,
        DpcFlood.Scenario,
        LongDpcChoices.TwoCulprits,
        LongDpcChoices.DecoyTotal,
        LongDpcChoices.Alone,
        StretchedDpcs.ByFirmware,
        StretchedDpcs.ByStorm,
        SharedLine.Scenario,
        EqualPriority.Scenario,
        OwnDriver.Scenario,
        DeferredDpcs.LowImportance,
        DeferredDpcs.OtherCpu,
        ThreadedDpc.Scenario,
        SpinLockWait.Scenario,
        FlushWait.Scenario,
        BoostedThread.Scenario,
        FreeCpuElsewhere.Scenario,
    ];

    /// <summary>A scenario by its name; null where there is none.</summary>
    public static Scenario? Find(string name) => All.FirstOrDefault(scenario => scenario.Name == name);
}
