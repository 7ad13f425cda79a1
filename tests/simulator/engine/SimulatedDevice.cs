using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;

namespace Tracer.Simulator.Tests;

/// <summary>What a device and its driver are like: an ISR that queues a DPC that completes requests.</summary>
internal sealed record DeviceOptions
{
    /// <summary>Name of its sources of random numbers.</summary>
    public required string Name { get; init; }

    /// <summary>Who answers for its ISR and DPC.</summary>
    public required CodeOwner Owner { get; init; }

    public required ushort Vector { get; init; }

    /// <summary>The level of its ISR, 3 to 12.</summary>
    public int Irql { get; init; } = 6;

    /// <summary>The CPUs that take its interrupt; of several each time a random one.</summary>
    public IReadOnlyList<int> Cpus { get; init; } = [0];

    /// <summary>Number of its message, where it is message-signalled; null for a line.</summary>
    public uint? Message { get; init; }

    /// <summary>Address of the ISR that the kernel calls; a framework's for drivers behind one.</summary>
    public required ulong IsrRoutine { get; init; }

    /// <summary>Name of the ISR in causes; null for none.</summary>
    public string? IsrName { get; init; }

    /// <summary>What its ISR runs before it queues the DPC.</summary>
    public required CodeStretch IsrCode { get; init; }

    public required Spread IsrLength { get; init; }

    /// <summary>Address of the DPC routine that the kernel calls; a framework's for drivers behind one.</summary>
    public required ulong DpcRoutine { get; init; }

    /// <summary>Name of the DPC in causes; null for none.</summary>
    public string? DpcName { get; init; }

    /// <summary>What its DPC runs before it completes requests.</summary>
    public required CodeStretch DpcCode { get; init; }

    public required Spread DpcLength { get; init; }

    public DpcImportance Importance { get; init; } = DpcImportance.Medium;

    /// <summary>The CPU that its DPC is to run on; null for the one that took the interrupt.</summary>
    public int? DpcCpu { get; init; }

    /// <summary>Address of the client's ISR callback behind the driver framework; null for a driver that uses none.</summary>
    public ulong? WdfIsr { get; init; }

    /// <summary>Address of the client's DPC callback behind the driver framework; null for a driver that uses none.</summary>
    public ulong? WdfDpc { get; init; }

    /// <summary>What the framework runs in ISR and DPC before it calls the client; null for none.</summary>
    public CodeStretch? FrameworkCode { get; init; }

    /// <summary>How long the framework takes before each callback, in nanoseconds.</summary>
    public long FrameworkNs { get; init; } = 600;

    /// <summary>What a thread gets on top of its priority when its request is completed.</summary>
    public byte Boost { get; init; } = 1;
}

/// <summary>
/// A device. Interrupts of its own come by <see cref="Interrupt(Arrivals)"/>; requests of threads by <see cref="Request"/> end with
/// an interrupt whose DPC lets the thread go on. Made by <see cref="ThreadPrograms.AddDevice"/>.
/// </summary>
internal sealed class SimulatedDevice
{
    private readonly Machine _machine;
    private readonly DeviceOptions _options;
    private readonly RandomSequence _isrLengths;
    private readonly RandomSequence _dpcLengths;
    private readonly RandomSequence _services;
    private readonly Queue<(KernelEvent Done, Action<Machine>? Note)> _finished = new();

    internal SimulatedDevice(Machine machine, DeviceOptions options)
    {
        _machine = machine;
        _options = options;
        _isrLengths = machine.Random(options.Name + " isr");
        _dpcLengths = machine.Random(options.Name + " dpc");
        _services = machine.Random(options.Name + " service");
        Dpc = new Dpc(options.Owner, options.DpcRoutine, DpcBody)
        {
            RoutineName = options.DpcName,
            Importance = options.Importance,
            TargetCpu = options.DpcCpu,
        };
        Isr = new Isr(options.Owner, options.IsrRoutine, IsrBody) { RoutineName = options.IsrName, Message = options.Message };
        machine.Connect(options.Vector, options.Irql, [.. options.Cpus], Isr);
    }

    public Isr Isr { get; }

    public Dpc Dpc { get; }

    /// <summary>It interrupts again and again, as a network card does when packets come.</summary>
    public void Interrupt(Arrivals arrivals) => _machine.RaiseAgain(_options.Name, Isr, arrivals);

    /// <summary>Each time it interrupts, one thread that waits for the event goes on as well.</summary>
    public void Interrupt(Arrivals arrivals, KernelEvent received) => _machine.Repeat(_options.Name, arrivals, machine =>
    {
        _finished.Enqueue((received, null));
        machine.Raise(Isr);
    });

    /// <summary>A step that starts a request; the device interrupts when it is done.</summary>
    /// <param name="done">Signalled by the DPC.</param>
    /// <param name="note">Done by the DPC before: writes a record of the transfer; null for nothing.</param>
    public Step Request(Spread service, KernelEvent done, Action<Machine>? note = null)
    {
        ArgumentNullException.ThrowIfNull(service);
        return Step.Act(machine => machine.After(service.Next(_services), later =>
        {
            _finished.Enqueue((done, note));
            later.Raise(Isr);
        }));
    }

    private IEnumerable<Step> IsrBody()
    {
        if (_options.WdfIsr is ulong callback)
        {
            yield return Step.Run(_options.FrameworkCode ?? _options.IsrCode, _options.FrameworkNs);
            yield return Step.WdfCallback(callback, isInterrupt: true);
        }

        yield return Step.Run(_options.IsrCode, _options.IsrLength.Next(_isrLengths));
        yield return Step.Queue(Dpc);
    }

    private IEnumerable<Step> DpcBody()
    {
        if (_options.WdfDpc is ulong callback)
        {
            yield return Step.Run(_options.FrameworkCode ?? _options.DpcCode, _options.FrameworkNs);
            yield return Step.WdfCallback(callback);
        }

        yield return Step.Run(_options.DpcCode, _options.DpcLength.Next(_dpcLengths));
        while (_finished.TryDequeue(out (KernelEvent Done, Action<Machine>? Note) request))
        {
            request.Note?.Invoke(_machine);
            yield return Step.Signal(request.Done, _options.Boost);
        }
    }
}
