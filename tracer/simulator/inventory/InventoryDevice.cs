namespace Tracer.Simulator.Inventory;

/// <summary>A device as Plug and Play knows it.</summary>
public sealed record InventoryDevice
{
    /// <summary>Its instance id, such as <c>PCI\VEN_1234&amp;DEV_5678\3&amp;11583659&amp;0&amp;A0</c>.</summary>
    public required string InstanceId { get; init; }

    public required string Description { get; init; }

    /// <summary>What the system calls it; empty for most.</summary>
    public string FriendlyName { get; init; } = "";

    public required string ObjectName { get; init; }

    public required Guid ClassId { get; init; }

    public required SimulatedImage Driver { get; init; }

    /// <summary>Services of the filters above its driver.</summary>
    public IReadOnlyList<string> UpperFilters { get; init; } = [];

    /// <summary>Number of its interrupt line, negative for message-signalled interrupts; null for a device without.</summary>
    public int? InterruptLine { get; init; }

    /// <summary>Vector of its interrupt in the interrupt descriptor table; null for a device without.</summary>
    public ushort? Vector { get; init; }

    /// <summary>Number of the message where its interrupt is message-signalled, as the ISR record tells it; else null.</summary>
    public uint? Message => InterruptLine is < 0 ? (uint)(-InterruptLine.Value - 1) : null;
}
