using Tracer.Analysis.Modules;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>
/// The table of advice: for a finding, what a person can do about it and why. The first row of each kind that fits the finding is given.
/// </summary>
/// <remarks>
/// Sources, by the names in the rows:
/// Focusrite: support.focusrite.com/hc/en-gb/articles/208360865 (drivers and Windows out of date are the usual cause);
/// Dpc: learn.microsoft.com/windows-hardware/drivers/kernel/sharing-processor-resources-during-startup-from-a-low-power-state
/// (no DPC routine should run for more than 100 us);
/// Moderation: learn.microsoft.com/windows-hardware/drivers/network/interrupt-moderation;
/// Depth: learn.microsoft.com/windows-hardware/drivers/storage/storport-queue-management;
/// Link: learn.microsoft.com/windows-hardware/customize/power-settings/disk-settings-link-power-management-mode---hipm-dipm;
/// Idle: learn.microsoft.com/previous-versions/mt422913(v=vs.85) (IDLEDISABLE);
/// Smi: docs.redhat.com, Optimizing RHEL for Real Time, chapter 6 (firmware interrupts; never to be switched off altogether);
/// UsbLegacy: Linux, Documentation/arch/x86/usb-legacy-support.rst;
/// Vbs: learn.microsoft.com/windows-hardware/design/device-experiences/oem-vbs (Windows itself may run on a hypervisor);
/// Importance: learn.microsoft.com/windows-hardware/drivers/ddi/wdm/nf-wdm-kesetimportancedpc;
/// Inbox: learn.microsoft.com/windows-hardware/drivers/usbcon/supported-usb-classes, and the stacks of FrameworkTable (drivers that come
/// with Windows);
/// Disable: support.microsoft.com, "Error codes in Device Manager in Windows", code 22 (a device that is switched off does not work until
/// it is switched on: of a keyboard, a disk or the display that is the end of the session);
/// Rss: learn.microsoft.com/windows-hardware/drivers/network/introduction-to-receive-side-scaling;
/// Msi: learn.microsoft.com/windows-hardware/drivers/kernel/introduction-to-message-signaled-interrupts;
/// Graphics: NVIDIA Control Panel Help, "Manage 3D Settings", power management mode;
/// Buffer: Focusrite, the same page (buffer size, exclusive mode);
/// Paging: learn.microsoft.com/windows/win32/api/memoryapi/nf-memoryapi-virtuallock;
/// Held: OSDI'99 (Cota-Robles and Held), section 2: what is to be recorded to find a cause.
/// </remarks>
internal static class Advice
{
    /// <summary>A DPC should run no longer than this (Dpc).</summary>
    private static readonly Duration LongestDpc = Duration.FromMicroseconds(100);

    public static IReadOnlyList<AdviceRow> Remedies { get; } =
    [
        new("Held", finding => finding.IsShort,
            _ => "Leave it as it is; if something needs shorter latencies than sound does, ask for them with a lower --threshold",
            finding => $"the longest is {ReadableDuration.Of(finding.Worst?.Latency ?? Duration.Zero)}, and the smallest usual sound "
                + $"buffer lasts {ReadableDuration.Of(Defaults.SmallestBuffer)}"),
        new("Smi", finding => finding.Names(CulpritName.HardwareOrFirmware),
            _ => "Install the newest BIOS or UEFI of the machine's vendor",
            finding => finding.Did(finding.IsOfSingleCpus ? "single CPUs stopped for" : "the machine stopped for")
                + ", and of all that can stop it the firmware can be replaced, often with no way back"),
        new("Held", finding => finding.Names(CulpritName.Hypervisor),
            _ => "Give the guest processors of its own on the host, and measure on the host as well",
            finding => finding.Did("the guest's processors were taken away for")),
        new("Idle", finding => finding.First is { Kind: CulpritKind.Power, Mechanism: Mechanism.IdleExit },
            _ => "For a test keep the CPUs awake: powercfg /setacvalueindex scheme_current sub_processor IDLEDISABLE 1, then "
                + "powercfg /setactive scheme_current; afterwards both again with IDLEDISABLE 0",
            finding => finding.Did("leaving idle states took") + "; CPUs that never sleep get hot"),
        new("Idle", finding => finding.First?.Kind == CulpritKind.Power,
            _ => "For a test choose the high performance power plan, with a minimum processor state of 100 %; afterwards go back",
            finding => finding.Did("power management took") + "; that plan costs power and heat"),
        new("Paging", finding => finding.Names(CulpritName.HardPageFaults),
            _ => "Close programs that use much memory, or add memory; a program with deadlines should lock its buffers (VirtualLock)",
            finding => finding.Did($"{finding.Worst?.Thread?.Process ?? "the victim"} waited for pages from disk for")),
        new("Held", finding => finding.First is { Kind: CulpritKind.Process } && finding.IsGarbageCollection,
            finding => $"Ask the vendor of {finding.First!.Name} for shorter garbage collections (concurrent, or a low-latency mode)",
            finding => finding.Did("its runtime stopped the program's own threads for")),
        new("Held", finding => finding.First is { Kind: CulpritKind.Process, IsByOwnWork: true },
            finding => $"Give {finding.First!.Name} less to do at once: a larger buffer, fewer effects or voices",
            finding => finding.Did("its own work took")),
        new("Held", finding => finding is { First.Kind: CulpritKind.Process, IsWaitedFor: true },
            finding => $"Find out what {finding.First!.Name} does for the program that waits for it, and give it less to do at once",
            finding => finding.Did("the victims waited for what its threads did for")),
        new("Held", finding => finding.First?.Kind == CulpritKind.Process,
            finding => $"Close {finding.First!.Name} for a test; if the latency goes with it, lower its priority or uninstall it",
            finding => finding.Did("its threads ran instead of the victims for")),
        new("Focusrite", finding => finding.First?.Kind == CulpritKind.Kernel,
            _ => "Install the latest Windows updates",
            finding => finding.Did("the kernel's own code took")),
        new("Focusrite", finding => finding.RunsFirmware,
            _ => "Install the newest BIOS or UEFI of the machine's vendor, then its drivers for chipset, battery and hot keys",
            finding => finding.Did($"{finding.First!.Name} runs code of the firmware (AML), which took")),
        new("Smi", finding => finding.IsDriverOfAllCpus,
            finding => "Install the newest BIOS or UEFI of the machine's vendor, and the newest firmware of the device that "
                + $"{finding.First!.Name} drives",
            finding => finding.Did("all CPUs stopped for") + ", which code on one CPU can't do, but firmware that it enters can"),
        new("Inbox", finding => finding.IsUsbHost,
            _ => "Unplug USB devices one by one, those that move most data first, and record again each time",
            finding => finding.Did("it took") + $", and {finding.First!.Name} works for all devices behind the controller"),
        new("Focusrite", finding => finding.IsFromMicrosoft,
            finding => $"Install the latest Windows updates: {finding.First!.Name}{finding.Version} comes with it",
            finding => finding.Did("it took")),
        new("Focusrite", finding => finding.First?.Kind == CulpritKind.Driver,
            finding => $"Install another version of {finding.First!.Name}{finding.Version}: the newest, or the one before if "
                + "the trouble began with an update",
            finding => finding.Did("it took")),
        new("Held", finding => finding is { Verdict: Verdict.None },
            finding => $"If it still stutters, record while it does: tracer capture --threshold {finding.Threshold}",
            finding => $"this trace has no latency of {ReadableDuration.Of(finding.Threshold)} or more that anyone is to blame for"),
    ];

    public static IReadOnlyList<AdviceRow> Settings { get; } =
    [
        new("Held", finding => finding.First is { Caller: { Times: > 1 } caller, Mechanism: Mechanism.Blackout or Mechanism.RaisedIrql }
                && finding.Worst?.Thread?.Process != caller.Process,
            finding => $"Close {finding.First!.Caller!.Process} for a test, or switch off whatever in it queries the hardware",
            finding => $"its thread was in {finding.First!.Name} in {finding.First.Caller!.Times} of {finding.First.Caller.Of} of these; "
                + "if the latency goes with it, querying less often is enough"),
        new("Focusrite", finding => finding is { IsDriverOfAllCpus: true, IsFromMicrosoft: false },
            finding => $"Then install another version of {finding.First!.Name}{finding.Version}: the newest, or the one before if the "
                + "trouble began with an update",
            _ => "it may reach its device or the firmware in another way"),
        new("Vbs", finding => finding.Names(CulpritName.HardwareOrFirmware) && finding.IsOfSingleCpus,
            _ => "Find out whether a hypervisor runs underneath (msinfo32 shows it: a virtual machine, Hyper-V, virtualization-based "
                + "security); record on its host, or again without it; switch it back on afterwards, it protects Windows",
            _ => "single CPUs stopped while others ran: a hypervisor does that, and an SMI of the firmware stops all"),
        new("UsbLegacy", finding => finding.Names(CulpritName.HardwareOrFirmware),
            _ => "In the BIOS setup switch off USB legacy support and whatever watches fans, heat or batteries, one at a time, and record "
                + "again each time; some of it protects the machine, so switch it on again",
            _ => "such functions stop all CPUs while they run; the one with which the blackouts go away is the cause; without USB legacy "
                + "support a USB keyboard may not work before Windows starts"),
        new("Rss", finding => finding is { IsOnOneCpu: true } && finding.IsOf(SetupClass.Net),
            _ => "In Device Manager open the network adapter's Advanced page and switch on Receive Side Scaling, with several queues; if "
                + "nothing changes, set both back",
            finding => $"all DPCs of {finding.First!.Name} ran on one CPU, and several would share the work; the network breaks off for a "
                + "moment"),
        new("Moderation", finding => finding.IsOf(SetupClass.Net),
            _ => "In Device Manager open the network adapter's Advanced page and change Interrupt Moderation and the offloads, one at "
                + "a time, and set back what does not help",
            _ => "one DPC of a network driver handles all packets that came since the last one, and these settings say how many; less "
                + "moderation costs CPU time"),
        new("Depth", finding => finding.IsBatch,
            _ => "Have the programs that use this disk keep fewer requests outstanding at once, or give them a disk of their own",
            _ => "one DPC completes the requests that the device ended since the last one, and the depth of the disk's queue bounds their "
                + "number"),
        new("Link", finding => finding.IsOf(SetupClass.DiskController),
            _ => "In the power plan set the AHCI link power management to Active for a test; afterwards go back",
            _ => "a link that sleeps has to be woken before the disk answers; one that never sleeps costs power"),
        new("Msi", finding => finding.First?.Mechanism == Mechanism.Isr && finding.IsOf(SetupClass.Display),
            finding => $"Ask the vendor of {finding.First!.Name} for a driver that uses message-signaled interrupts (MSI)",
            _ => "a line interrupt may be shared, and then each driver on the line has to ask its device whether it was the one"),
        new("Graphics", finding => finding.IsOf(SetupClass.Display),
            _ => "In the graphics driver's own settings choose highest performance for power management for a test; afterwards go back",
            _ => "a graphics processor that changes its power state keeps its driver waiting; one that never does costs power and heat"),
        new("Buffer", finding => finding.IsOf(SetupClass.Media),
            _ => "In the program's settings choose a larger buffer, or the other mode of the device (exclusive or shared)",
            _ => "the buffer decides how late the sound device may be served; a larger one adds delay, and in exclusive mode no other "
                + "program is heard"),
        new("Importance", finding => finding.First?.Mechanism == Mechanism.DpcDeferred,
            finding => $"Tell the vendor of {finding.First!.Name} that it queues this DPC with low importance or for another CPU",
            _ => "such a DPC waits by design until something else starts the queue"),
        new("Dpc", finding => finding.First is { Kind: CulpritKind.Driver, Mechanism: Mechanism.Dpc } first && first.Worst > LongestDpc
                && finding is { RunsFirmware: false, IsFromMicrosoft: false },
            finding => $"Send this report to the vendor of {finding.First!.Name}{finding.Routine}, with what 'analyzer pack TRACE -o "
                + "case.zip' makes: a small trace without the names of people and programs",
            finding => $"it kept a CPU for up to {ReadableDuration.Of(finding.First!.Worst)} in one episode, and a DPC should end within "
                + "100 us (Microsoft)"),
    ];

    /// <summary>What shows more, or makes it certain.</summary>
    public static IReadOnlyList<AdviceRow> Evidence { get; } =
    [
        new("Held", finding => finding is { Verdict: Verdict.Unknown, Missing.Count: > 0 },
            finding => $"Record again with {string.Join(", ", finding.Missing)}; "
                + "'tracer capture' and samples/latency.wprp record all of it",
            finding => WhyOf(finding.Missing[0])),
        new("Held", finding => finding is { Verdict: Verdict.Unknown, IsFromIdle: true },
            _ => "Record again with IDLE_STATES and POWER; 'tracer capture' and samples/latency.wprp record it",
            _ => "the CPU had been idle each time, and may have been slow to leave its idle state"),
        new("Held", finding => finding.Unearned == UnearnedKind.Hole,
            _ => "Record again with more buffers until nothing is lost and the recording ends by itself, or ask for a part that is whole "
                + "with --from, --to and --cpu",
            _ => "what was late while records are missing is not in this trace"),
        new("Held", finding => finding.Unearned == UnearnedKind.NoVictim,
            _ => "Name the program that stutters: analyzer blame TRACE --process NAME",
            _ => "then the waits of its threads are judged, whatever their priority"),
        new("Held", finding => finding.Unearned == UnearnedKind.Glitch,
            finding => finding.HasAudioGlitches
                ? "Try another sound device, another cable or port, and another buffer size in the program"
                : "Try another refresh rate of the display, and another version of the graphics driver",
            _ => "no thread was late, so what failed does not show in a trace of the processors"),
        new("Held", finding => finding.Unearned is UnearnedKind.FewWaits or UnearnedKind.Part,
            _ => "Record for longer, while whatever stutters is running",
            _ => "a few short waits do not show that none is long"),
        new("Held", finding => finding is { First: { Confidence: not Confidence.Certain }, HasStacks: false, HasSamples: true },
            _ => "Record again with stacks on PROFILE",
            _ => "a sample names the code that ran, a stack also who called it"),
        new("Held", finding => finding is { IsShort: false, IsBelowBuffers: true }
                && (finding.Names(CulpritName.HardwareOrFirmware) || finding.RunsFirmware),
            _ => "Record for longer, while whatever stutters is running",
            finding => $"the longest so far is {ReadableDuration.Of(finding.Worst!.Latency)}, and the smallest usual sound buffer lasts "
                + $"{ReadableDuration.Of(Defaults.SmallestBuffer)}: what was heard may be something else"),
        new("Disable", finding => finding is { IsDoubtedDriver: true } && finding.IsOf(SetupClass.Net, SetupClass.Media, SetupClass.Camera),
            finding => $"Record again with the device of {finding.First!.Name} switched off in Device Manager, and switch it back on "
                + "afterwards",
            DoubtOf),
        new("Disable", finding => finding is { IsDoubtedDriver: true, IsFromMicrosoft: false },
            finding => $"Record again without the device of {finding.First!.Name}: unplug it, or, if it is not a disk, display, "
                + "keyboard, mouse or USB controller, switch it off in Device Manager and back on afterwards",
            DoubtOf),
        new("Held", finding => finding.Worst is not null,
            finding => $"Look at the worst: analyzer episodes TRACE --id {finding.Worst!.Id.ToString(Invariant)}",
            _ => "it shows what ran on each CPU meanwhile, and what the samples hit"),
    ];

    private static System.Globalization.CultureInfo Invariant => System.Globalization.CultureInfo.InvariantCulture;

    private static string DoubtOf(AdviceCase finding) =>
        $"that it is to blame is only {KebabCase.Of(finding.First!.Confidence)} so far; without it the latency should be gone";

    private static string WhyOf(string keyword) => keyword switch
    {
        "DPC" or "INTERRUPT" => "without it nobody knows which drivers' routines ran",
        "CSWITCH" => "without it nobody knows which threads ran",
        "DISPATCHER" => "without it nobody knows when a thread became ready, so no wait can be measured",
        "PROFILE" => "without it nobody knows what code ran",
        _ => "without it nobody knows whose code lies at an address",
    };
}

/// <param name="Source">Where it comes from: a name in the remarks of <see cref="Advice"/>.</param>
/// <param name="Step">What to do, as an order without its full stop.</param>
internal sealed record AdviceRow(string Source, Func<AdviceCase, bool> Fits, Func<AdviceCase, string> Step, Func<AdviceCase, string> Why);
