using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>What sort of thing a culprit is. In JSON in lower case.</summary>
[JsonConverter(typeof(KebabCaseConverter<CulpritKind>))]
public enum CulpritKind
{
    /// <summary>A driver; its name is the file name as in the trace.</summary>
    Driver,

    /// <summary>A process; its name is the image name, the process id stands in the evidence.</summary>
    Process,

    /// <summary>The kernel or HAL itself (its file name), or <see cref="CulpritName.HardPageFaults"/>.</summary>
    Kernel,

    /// <summary><see cref="CulpritName.HardwareOrFirmware"/> or <see cref="CulpritName.Hypervisor"/>.</summary>
    Hardware,

    /// <summary><see cref="CulpritName.PowerManagement"/>.</summary>
    Power,
}
