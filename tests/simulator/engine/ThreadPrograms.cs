using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;

namespace Tracer.Simulator.Tests;

/// <summary>What most scenarios have: devices, and programs of threads.</summary>
internal static class ThreadPrograms
{
    public static SimulatedDevice AddDevice(this Machine machine, DeviceOptions options)
    {
        ArgumentNullException.ThrowIfNull(machine);
        ArgumentNullException.ThrowIfNull(options);
        return new SimulatedDevice(machine, options);
    }

    /// <summary>A program that waits for an event (a timer's, a device's) again and again and works each time: victims are such.</summary>
    public static Func<IEnumerable<Step>> WorkOnEach(this Machine machine, string name, KernelEvent wanted, CodeStretch code, Spread work)
    {
        ArgumentNullException.ThrowIfNull(machine);
        ArgumentNullException.ThrowIfNull(work);
        RandomSequence random = machine.Random(name);
        return Program;

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Wait(wanted, code);
                yield return Step.Run(code, work.Next(random));
            }
        }
    }

    /// <summary>A program that asks a device, waits until it is done, and works on what came: reading files, say.</summary>
    /// <param name="transferBytes">Bytes of the disk record of each request; 0 for none.</param>
    public static Func<IEnumerable<Step>> AskDevice(
        this Machine machine,
        string name,
        SimulatedDevice device,
        CodeStretch code,
        Spread work,
        Spread service,
        uint transferBytes = 0)
    {
        ArgumentNullException.ThrowIfNull(machine);
        ArgumentNullException.ThrowIfNull(device);
        ArgumentNullException.ThrowIfNull(work);
        RandomSequence random = machine.Random(name);
        return Program;

        IEnumerable<Step> Program()
        {
            var done = new KernelEvent();
            while (true)
            {
                yield return Step.Run(code, work.Next(random));
                long start = machine.NowNs;
                uint thread = machine.CurrentThreadId;
                Action<Machine>? note = transferBytes == 0 ? null
                    : _ => machine.Log.DiskTransfer(start, machine.NowNs, machine.CurrentCpu, false, thread, transferBytes);
                yield return device.Request(service, done, note);
                yield return Step.Wait(done, code, WaitReason.Executive);
            }
        }
    }
}
