using Tracer.Etl.Kernel;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>Lists what is there when a session begins or ends, in the kernel's order.</summary>
internal sealed class MachineRundown(MachineInventory machine, SessionController controller, KernelLogOptions options)
{
    private const ushort KernelBase = 0x1421;
    private const ushort RundownComplete = 0x0008;
    private const ushort CollectionEnd = 0x0F4A;
    private const ushort EndExtension = 0x0020;

    private readonly ProcessRecords _processes = new(machine, controller);

    /// <summary>Records about images, shared with loads so that no version is told twice.</summary>
    public ImageRecords Images { get; } = new(machine, controller, options.IsMerged);

    public IEnumerable<MachineRecord> Start(RecordKinds kinds)
    {
        if (kinds.HasFlag(RecordKinds.Samples))
        {
            yield return Interval(KernelHook.CollectionStart);
        }

        if (options.Rundown.HasFlag(Rundowns.Start))
        {
            foreach (MachineRecord record in List(
                ProcessRecords.ProcessDCStart, ProcessRecords.ThreadDCStart, KernelHook.ImageDCStart))
            {
                yield return record;
            }
        }

        yield return controller.PerfInfo(RundownComplete, 2, (ref _) => { });
    }

    public IEnumerable<MachineRecord> End(RecordKinds kinds)
    {
        if (kinds.HasFlag(RecordKinds.Samples))
        {
            yield return Interval(CollectionEnd);
        }

        if (options.Rundown.HasFlag(Rundowns.End))
        {
            foreach (MachineRecord record in List(ProcessRecords.ProcessDCEnd, ProcessRecords.ThreadDCEnd, KernelHook.ImageDCEnd))
            {
                yield return record;
            }
        }

        var configuration = new ConfigurationRecords(machine, controller);
        foreach (MachineRecord record in configuration.All())
        {
            yield return record;
        }

        yield return controller.PerfInfo(RundownComplete, 2, (ref _) => { });
        yield return controller.PerfInfo(EndExtension, 2, (ref p) => SessionMasks.Lay(ref p, machine.Build, kinds, options.Rundown));
        if (options.IsMerged)
        {
            foreach (MachineRecord record in configuration.Merged())
            {
                yield return record;
            }
        }
    }

    private IEnumerable<MachineRecord> List(ushort processHook, ushort threadHook, ushort imageHook)
    {
        foreach (InventoryProcess process in machine.Processes)
        {
            yield return _processes.Process(processHook, process);
            foreach (InventoryThread thread in process.Threads)
            {
                yield return _processes.Thread(threadHook, thread);
            }

            foreach (SimulatedImage image in process.Images)
            {
                foreach (MachineRecord record in Images.Of(imageHook, image, process.Id))
                {
                    yield return record;
                }
            }
        }

        yield return controller.PerfInfo(
            KernelBase, 2, HeaderLayouts.KernelBase, (ref p) => p.Put("KernelBase", machine[ImageRole.Kernel].Base));
        if (machine.HasHypervisor)
        {
            // A guest's kernel calls the hypervisor through a page that it has.
            yield return controller.PerfInfo(
                KernelHook.HypercallPage, 2, HeaderLayouts.HypercallPage, (ref p) => p.Put("HypercallPage", machine.HypercallPage));
        }

        foreach (SimulatedImage module in machine.Modules.Where(module => module.IsLoaded))
        {
            foreach (MachineRecord record in Images.Of(imageHook, module, 0))
            {
                yield return record;
            }
        }
    }

    private MachineRecord Interval(ushort hook)
    {
        byte version = (byte)(machine.Build.IsModern ? 3 : 2);
        return controller.System(hook, version, (ref p) =>
        {
            uint interval = (uint)(options.SampleIntervalNs / 100);
            p.UInt32(0);
            p.UInt32(interval);
            p.UInt32(interval);
            if (version >= 3)
            {
                p.Utf16("Timer");
            }
        });
    }
}
