using Tracer.Capture.Driver.Install;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Doctor;

/// <summary>What the doctor knows of a machine; null stands for what the system does not tell.</summary>
public sealed record DoctorFacts
{
    /// <summary>Build of Windows, such as 26100.</summary>
    public required int Build { get; init; }

    /// <summary>Version of Wine; null on Windows.</summary>
    public string? WineVersion { get; init; }

    /// <summary>Whether this process may do what administrators may.</summary>
    public required bool IsAdministrator { get; init; }

    /// <summary>Whether firmware starts signed code only; null where there is no such switch.</summary>
    public bool? SecureBoot { get; init; }

    /// <summary>Whether drivers with a test certificate load.</summary>
    public bool? TestSigning { get; init; }

    /// <summary>Whether the hypervisor checks the kernel's code (HVCI, "memory integrity").</summary>
    public bool? MemoryIntegrity { get; init; }

    /// <summary>Vendor id of the hypervisor, as CPUID has it; null where there is none.</summary>
    public string? Hypervisor { get; init; }

    /// <summary>Whether this is the root of Hyper-V: it has the devices, and all processors.</summary>
    public bool IsHypervisorRoot { get; init; }

    /// <summary>Whether the time stamp counter runs at one rate whatever the CPU does.</summary>
    public bool? InvariantTsc { get; init; }

    /// <summary>Rate of the performance counter in Hz.</summary>
    public required long QpcHz { get; init; }

    /// <summary>Period of the clock interrupt at its coarsest, at its finest, and now, in units of 100 ns.</summary>
    public (uint Coarsest, uint Finest, uint Now)? ClockPeriods { get; init; }

    public string? PowerPlan { get; init; }

    public Guid? PowerPlanId { get; init; }

    /// <summary>Sessions that run; null where Windows does not tell.</summary>
    public IReadOnlyList<RunningSession>? Sessions { get; init; }

    /// <summary>Places for sessions of all kinds; null where Windows does not tell.</summary>
    public int? SessionPlaces { get; init; }

    /// <summary>Sampling interval in units of 100 ns.</summary>
    public uint? ProfileInterval { get; init; }

    /// <summary>Our driver; null where it is not installed.</summary>
    public RegisteredService? Driver { get; init; }

    public required int Cpus { get; init; }

    public required long MemoryBytes { get; init; }

    public required long FreeMemoryBytes { get; init; }

    /// <summary>Free bytes where traces would go: the disk of the current folder.</summary>
    public long? FreeDiskBytes { get; init; }
}
