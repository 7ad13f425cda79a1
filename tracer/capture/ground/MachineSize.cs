using Tracer.Windows;

namespace Tracer.Capture.Ground;

/// <summary>The size of a machine, which sessions are planned for.</summary>
/// <param name="Cpus">All that are on, in all groups: a session has buffers for each, whatever this process may use.</param>
public readonly record struct MachineSize(int Cpus, long MemoryBytes)
{
    public static MachineSize Here => new(
        ProcessCpus.OfMachine(OperatingSystem.IsWindows() ? WindowsProcessorGroups.Here : null),
        GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
}
