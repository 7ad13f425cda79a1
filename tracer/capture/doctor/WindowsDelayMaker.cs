using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.Versioning;
using Tracer.Capture.Probe;
using Tracer.Capture.Triggers;
using Tracer.Windows;
using static Tracer.Windows.ThreadNatives;

namespace Tracer.Capture.Doctor;

/// <summary>
/// Spins at priority 30, above the probe's 28. The process is in the real-time class only while it spins: its other threads do the capture.
/// </summary>
[SupportedOSPlatform("windows")]
public sealed class WindowsDelayMaker : IDelayMaker
{
    /// <summary>Above the probe's 24 and 28.</summary>
    private const int SpinPriority = 30;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(400);

    private readonly List<ProvokedDelay> _provoked = [];

    public string ProcessName { get; } = Path.GetFileName(Environment.ProcessPath) ?? "";

    /// <summary>The last CPU that the probe measures: interrupts and the clock prefer the first.</summary>
    public int Cpu { get; } = WakeupTrigger.CpusOf(WindowsProcessorGroups.Here)[^1];

    public TimeSpan Length { get; } = TimeSpan.FromMilliseconds(8);

    public IReadOnlyList<ProvokedDelay> Provoked
    {
        get
        {
            lock (_provoked)
            {
                return [.. _provoked];
            }
        }
    }

    public IDisposable Begin() => new Spinning(this);

    private sealed class Spinning : IDisposable
    {
        private readonly WindowsDelayMaker _maker;
        private readonly ManualResetEventSlim _end = new();
        private readonly Thread _thread;

        public Spinning(WindowsDelayMaker maker)
        {
            _maker = maker;
            _thread = new Thread(Run) { IsBackground = true, Name = "provoked delay" };
            _thread.Start();
        }

        public void Dispose()
        {
            _end.Set();
            _thread.Join();
            _end.Dispose();
        }

        private void Run()
        {
            try
            {
                ProcessCpus.Bind(_maker.Cpu);
            }
            catch (Win32Exception)
            {
                return; // Nothing is provoked then, and the proof says that.
            }

            while (!_end.Wait(Pause))
            {
                try
                {
                    Spin();
                }
                catch (Win32Exception)
                {
                    return;
                }
            }
        }

        private void Spin()
        {
            nint process = GetCurrentProcess();
            nint thread = GetCurrentThread();
            uint before = GetPriorityClass(process);
            if (before == 0)
            {
                throw new Win32Exception();
            }

            int level = GetThreadPriority(thread);
            _ = SetPriorityClass(process, RealTimePriorityClass);
            try
            {
                _ = SetThreadPriority(thread, ProbePriority.Level(SpinPriority));
                bool isAbove = GetPriorityClass(process) == RealTimePriorityClass
                    && GetThreadPriority(thread) == ProbePriority.Level(SpinPriority);
                if (!isAbove)
                {
                    throw new Win32Exception();
                }

                long begin = Stopwatch.GetTimestamp();
                long until = begin + TickRate.TicksOf100Nanoseconds(_maker.Length.Ticks, Stopwatch.Frequency);
                long now;
                do
                {
                    now = Stopwatch.GetTimestamp();
                }
                while (now < until);
                lock (_maker._provoked)
                {
                    _maker._provoked.Add(new ProvokedDelay(begin, now));
                }
            }
            finally
            {
                _ = SetThreadPriority(thread, level);
                _ = SetPriorityClass(process, before);
            }
        }
    }
}
