using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Sound that goes over USB, by a transfer each millisecond whose completion is an interrupt of the host controller, or over Bluetooth,
/// whose stack sends what an audio callback waits for from a thread of the system.
/// </summary>
internal static class SoundOverUsb
{
    private const int CallbackCpu = 0;
    private const int RadioCpu = 1;
    private const int TransfersOfBuffer = 10;
    private const int SenderPriority = 13;

    /// <summary>Where nobody of an ordinary priority may disturb it.</summary>
    private const int UndisturbedPriority = 27;

    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;
    private const long SendNs = 300 * Microsecond;

    private static readonly DriverShape Transfers = new(
        ImageRole.AudioMiniport,
        [ImageRole.UsbController],
        [(ImageRole.UsbController, "InterrupterInterrupt")],
        [(ImageRole.AudioMiniport, "IsochTransferComplete"), (ImageRole.UsbController, "InterrupterDpc")]);

    public static Scenario LongCompletion { get; } = new()
    {
        Name = "usb-audio",
        Explanation = "USB sound completes a transfer each millisecond; now and then its vendor's driver takes 2 to 5 ms for one.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<audio driver>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(6),
        MustBeModern = true,
        ProbePeriodNs = 0,
        Build = machine => BuildUsb(machine, isGuilty: true),
    };

    public static Scenario Healthy { get; } = LongCompletion with
    {
        Name = "usb-audio-healthy",
        Explanation = "USB sound completes a transfer each millisecond, in 30 to 70 us: an audio callback is always in time.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 40 * Microsecond,
        Build = machine => BuildUsb(machine, isGuilty: false),
    };

    public static Scenario RadioThread { get; } = LongCompletion with
    {
        Name = "bluetooth-audio",
        Explanation = "An audio callback waits for the Bluetooth stack's thread, which a thread of the radio's driver delays by 3 to 8 ms.",
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Thread,
        LeastCpus = 2,
        LeastShare = 0.85, // The sender's own work is a little of it.
        Build = machine => BuildRadio(machine, isAbove: true),
    };

    public static Scenario RadioThreadBelow { get; } = RadioThread with
    {
        Name = "bluetooth-audio-healthy",
        Explanation = "An audio callback waits for the Bluetooth stack's thread; the radio's driver's thread computes below it.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 60 * Microsecond,
        Build = machine => BuildRadio(machine, isAbove: false),
    };

    private static ScenarioTruth BuildUsb(SimulatedMachine machine, bool isGuilty)
    {
        long period = TransfersOfBuffer * Millisecond;
        long first = AudioCallback.SomeStart(machine, period);
        var played = new KernelEvent { Beat = new ExpectedBeat(first, period) };
        bool isPlayed = false;
        int transfer = 0;
        var device = new InterruptingDevice(
            machine, Transfers, machine.UsualIsr, Spread.Uniform(30 * Microsecond, 70 * Microsecond),
            () => AudioCallback.TakeOnce(ref isPlayed) ? [Step.Signal(played)] : [], [CallbackCpu]);
        machine.Engine.Repeat("transfers", Arrivals.Every(Millisecond, first), engine =>
        {
            isPlayed |= transfer++ % TransfersOfBuffer == 0;
            engine.Raise(device.Isr);
        });
        if (isGuilty)
        {
            LongDpcs.Add(machine, device, 150 * Millisecond, Spread.Uniform(2 * Millisecond, 5 * Millisecond));
        }

        var callback = new AudioCallback(machine, period, CallbackCpu) { Wanted = played };
        callback.Add();
        string host = machine.Inventory[ImageRole.UsbController].FileName;
        return isGuilty
            ? new ScenarioTruth(device.Dpc.Owner.Name, callback.Process.Name, host)
            : new ScenarioTruth(null, callback.Process.Name, host, device.Dpc.Owner.Name);
    }

    private static ScenarioTruth BuildRadio(SimulatedMachine machine, bool isAbove)
    {
        const long Period = AudioCallback.LongPeriodNs;
        StackBuilder stacks = machine.Stacks;
        InventoryProcess system = machine.Inventory.SystemProcess;
        CodeStretch send = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => stacks.WorkItem(stacks.At(ImageRole.SystemOther, "BthSendFrames"))));
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(system)]);
        CodeStretch radio = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => stacks.KernelThread(stacks.At(ImageRole.PlainDriver, "RadioThread"))));
        CodeOwner driver = machine.OwnerOf(ImageRole.PlainDriver);
        RandomSequence random = machine.Engine.Random("radio");
        (KernelTimer timer, KernelEvent sent) = AudioCallback.Mixer(machine, RadioCpu, Period, SendNs);
        var arrived = new KernelEvent();
        bool isWanted = false;
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc,
            () => AudioCallback.TakeOnce(ref isWanted) ? [Step.Signal(arrived)] : [], [RadioCpu]);
        machine.AddThread(
            system, isAbove ? SenderPriority + 2 : SenderPriority - 3, Radio, wait, SimulatedMachine.Only(RadioCpu), driver,
            startAddress: machine.Inventory.Routine(ImageRole.PlainDriver, "RadioThread"));
        machine.AddThread(system, isAbove ? SenderPriority : UndisturbedPriority, Send, wait, SimulatedMachine.Only(RadioCpu));
        var callback = new AudioCallback(machine, Period, CallbackCpu)
        {
            Wanted = sent,
            Percent = isAbove ? Spread.Uniform(5, 40) : Spread.Uniform(2, 4),
        };
        callback.Add();
        return isAbove
            ? new ScenarioTruth(driver.Name, callback.Process.Name)
            : new ScenarioTruth(null, callback.Process.Name, driver.Name);

        void Arrive(Machine engine)
        {
            isWanted = true;
            engine.Raise(device.Isr);
        }

        IEnumerable<Step> Send()
        {
            while (true)
            {
                yield return Step.Wait(timer.Expired, wait);
                if (random.Happens(0.07))
                {
                    yield return Step.Act(engine => engine.After(random.Between(SendNs / 10, SendNs * 8 / 10), Arrive));
                }

                yield return Step.Run(send, SendNs - random.NextBelow(20 * Microsecond));
                yield return Step.Signal(sent);
            }
        }

        IEnumerable<Step> Radio()
        {
            while (true)
            {
                yield return Step.Wait(arrived, wait);
                yield return Step.Run(radio, random.Between(3 * Millisecond, 8 * Millisecond));
            }
        }
    }
}
