using System.ComponentModel;
using System.Runtime.Versioning;

namespace Tracer.Capture.Probe;

/// <summary>Where a probe process begins.</summary>
[SupportedOSPlatform("windows")]
public static class ProbeEntry
{
    /// <summary>Measures until the parent wants no more or is gone.</summary>
    /// <param name="settings">How to measure; its CPUs are named.</param>
    public static int Run(ProbeSettings settings, string memoryName)
    {
        ArgumentNullException.ThrowIfNull(settings);
        // An end of the parent between its start of us and this line is met by the handle: it is asked for before anything is measured.
        using var memory = ProbeMemory.Open(memoryName, settings.Cpus.Count);
        try
        {
            using var machine = new WindowsProbeMachine(settings.ParentId);
            new ProbeProcess(machine, settings, memory).Run();
        }
        catch (Win32Exception failure)
        {
            memory.Status.SetMessage(failure.Message);
            memory.State = ProbeState.Failed;
        }

        return memory.State == ProbeState.Failed ? ExitCode.Failed : ExitCode.Done;
    }
}
