using System.Runtime;

namespace Tracer.Capture.Probe;

/// <summary>
/// The probe: a process of its own, because a managed thread that returns from its wait while a garbage collection stops its process waits
/// for that, too. One thread for each CPU, bound to it; the first thread of the process watches the parent and tells how it goes.
/// </summary>
/// <param name="memory">Shared with the parent; one ring for each CPU of the settings.</param>
internal sealed class ProbeProcess(IProbeMachine machine, ProbeSettings settings, ProbeMemory memory)
{
    private const int WatchMilliseconds = 20;
    private const long NoGcBytes = 1 << 20;
    private const double NanosecondsPerSecond = 1e9;
    private const int NsPerCpuTimeUnit = 100;

    private readonly ProbeRun _run = new(machine.Events);
    private readonly int[] _cpus = [.. settings.Cpus];
    private bool _isNoGcRegion;

    /// <summary>Bytes that this thread allocated while the others measured: 0, or they could have been stopped.</summary>
    public long WatchAllocatedBytes { get; private set; }

    /// <summary>Measures until the parent wants no more or is gone.</summary>
    public void Run()
    {
        ref ProbeStatus status = ref memory.Status;
        status.QpcHz = machine.QpcHz;
        memory.State = ProbeState.Calibrating;
        try
        {
            var missing = new List<string>(machine.PrepareProcess());
            if (!machine.LockMemory(memory.Address, memory.Bytes))
            {
                missing.Add("its memory may be paged out");
            }

            Measure(missing);
            memory.State = ProbeState.Stopped;
        }
#pragma warning disable CA1031 // Whatever went wrong, the parent hears of it in this way only.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            _run.Stop();
            status.SetMessage(failure.Message);
            memory.State = ProbeState.Failed;
        }
    }

    private void Measure(List<string> missing)
    {
        var threads = new ProbeThread[_cpus.Length];
        var workers = new Thread[_cpus.Length];
        using var calibrated = new CountdownEvent(_cpus.Length);
        using var begin = new ManualResetEventSlim();
        Exception? failure = null;
        for (int i = 0; i < _cpus.Length; i++)
        {
            var thread = new ProbeThread(machine, settings, _run, memory.Ring(i), _cpus[i]);
            int cpu = _cpus[i];
            threads[i] = thread;
            workers[i] = new Thread(() => Work(thread, cpu, calibrated, begin, ref failure)) { IsBackground = true };
            workers[i].Start();
        }

        calibrated.Wait();
        if (failure is null)
        {
            Publish(threads, missing);
            _isNoGcRegion = GC.TryStartNoGCRegion(NoGcBytes);
            begin.Set();
            Watch(threads);
        }

        _run.Stop();
        begin.Set();
        foreach (Thread worker in workers)
        {
            worker.Join();
        }

        if (_isNoGcRegion && GCSettings.LatencyMode == GCLatencyMode.NoGCRegion)
        {
            GC.EndNoGCRegion();
        }

        if (failure is not null)
        {
            throw failure;
        }

        _run.Events.ClockSync(machine.Qpc);
        _run.Events.Stop(memory.Status.Wakeups, threads.Sum(thread => thread.Lost));
    }

    private void Work(ProbeThread thread, int cpu, CountdownEvent calibrated, ManualResetEventSlim begin, ref Exception? failure)
    {
        bool isCalibrated = false;
        try
        {
            using IProbeTimer timer = machine.OpenTimer(cpu, settings.Priority);
            thread.Calibrate(timer);
            isCalibrated = true;
            calibrated.Signal();
            begin.Wait();
            thread.Measure(timer);
        }
#pragma warning disable CA1031 // Told to the parent by the first thread.
        catch (Exception caught)
#pragma warning restore CA1031
        {
            Interlocked.CompareExchange(ref failure, caught, null);
            _run.Stop();
            if (!isCalibrated)
            {
                calibrated.Signal();
            }
        }
    }

    private void Publish(ProbeThread[] threads, List<string> missing)
    {
        ref ProbeStatus status = ref memory.Status;
        // Of the CPUs that can be measured; where none can, the least.
        ProbeThread[] measuring = [.. threads.Where(thread => thread.CanMeasure)];
        status.FloorNs = measuring.Length > 0 ? measuring.Max(thread => thread.FloorNs) : threads.Min(thread => thread.FloorNs);
        status.GranularityNs = threads.Max(thread => thread.GranularityNs);
        status.Priority = threads.Min(thread => thread.Priority);
        status.IsHighResolution = threads.All(thread => thread.IsHighResolution) ? 1 : 0;
        if (status.Priority != settings.Priority)
        {
            missing.Add($"priority {settings.Priority} was asked for, Windows gave {status.Priority}");
        }

        status.SetMessage(string.Join("; ", missing));
        _run.Events.Start(machine.QpcHz, settings, status.FloorNs, status.Priority);
        _run.Events.ClockSync(machine.Qpc);
        memory.State = ProbeState.Running;
    }

    /// <summary>Until the parent wants no more, or is gone, or a thread has failed. Allocates nothing.</summary>
    private void Watch(ProbeThread[] threads)
    {
        long allocated = GC.GetAllocatedBytesForCurrentThread();
        long begun = machine.Qpc;
        long costBefore = machine.CpuTime;
        long nextSecond = begun + machine.QpcHz;
        while (!_run.IsStopping && Volatile.Read(ref memory.Status.IsStopWanted) == 0 && !machine.WaitForParent(WatchMilliseconds))
        {
            long now = machine.Qpc;
            if (now >= nextSecond)
            {
                nextSecond = now + machine.QpcHz;
                Account(threads, now - begun, machine.CpuTime - costBefore);
                _run.Events.ClockSync(now);
            }
        }

        Account(threads, machine.Qpc - begun, machine.CpuTime - costBefore);
        WatchAllocatedBytes = GC.GetAllocatedBytesForCurrentThread() - allocated;
    }

    private void Account(ProbeThread[] threads, long elapsedTicks, long cpuTime)
    {
        long wakeups = 0;
        foreach (ProbeThread thread in threads)
        {
            wakeups += thread.Wakeups;
        }

        ref ProbeStatus status = ref memory.Status;
        status.Wakeups = wakeups;
        status.RunningNs = (long)(elapsedTicks * (NanosecondsPerSecond / machine.QpcHz));
        status.CostNs = cpuTime * NsPerCpuTimeUnit;
    }
}
