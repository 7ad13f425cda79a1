namespace Tracer.Simulator;

/// <summary>What the kernel logs of power management; see <see cref="IKernelLog"/> for times and order.</summary>
public interface IPowerLog
{
    /// <summary>A CPU has left an idle state after an exit that took so long.</summary>
    void IdleExitLatency(long timeNs, int cpu, uint state, long latencyNs);

    /// <summary>A CPU runs at another part of its nominal speed.</summary>
    void SpeedChanged(long timeNs, int cpu, int newPercent, int oldPercent);

    /// <summary>Threads are no longer given to a CPU, or are again.</summary>
    /// <param name="timeNs">When.</param>
    /// <param name="cpu">The CPU that decided it and logs.</param>
    /// <param name="parkedCpu">The CPU that it is about.</param>
    /// <param name="isParked">Whether it is parked now.</param>
    void CpuParked(long timeNs, int cpu, int parkedCpu, bool isParked);
}
