namespace Tracer.Capture.Ground;

/// <summary>The size of a machine, which sessions are planned for.</summary>
public readonly record struct MachineSize(int Cpus, long MemoryBytes)
{
    public static MachineSize Here => new(Environment.ProcessorCount, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
}
