using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>Who or what is to blame for the over-threshold latency of a trace. In JSON in lower case.</summary>
[JsonConverter(typeof(KebabCaseConverter<Verdict>))]
public enum Verdict
{
    /// <summary>The trace lacks what is needed to tell; the report names the keywords to record.</summary>
    Unknown,

    /// <summary>Nothing exceeded the threshold, or only the granularity of a timer did.</summary>
    None,

    /// <summary>A driver: the vendor's module, not the framework that called it.</summary>
    Driver,

    /// <summary>A process whose threads ran in place of the victim.</summary>
    Process,

    /// <summary>ntoskrnl or hal with no third-party caller on any stack, or hard page faults.</summary>
    Kernel,

    /// <summary>Firmware, a device that stalled the machine, or the hypervisor below it.</summary>
    Hardware,

    /// <summary>Power management: leaving an idle state, a slow or parked processor.</summary>
    Power,
}
