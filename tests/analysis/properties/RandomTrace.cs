using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Properties;

/// <summary>
/// Makes small traces at random that could have happened: routines nest, a CPU runs one thread at a time, samples come on the beat unless
/// interrupts are masked. It models no kernel; it only obeys what every trace obeys.
/// </summary>
internal sealed class RandomTrace
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000 * Microsecond;
    private const long End = 80 * Millisecond;
    private const ulong FirstBase = 0xFFFF_F800_1000_0000;
    private const ulong ImageBytes = 0x10_0000;
    private const ulong UserCode = 0x40_1000;
    private const uint FirstThread = 100;
    private const int ThreadsOfCpu = 4;

    private static readonly string[] Modules =
        ["ntoskrnl.exe", "ndis.sys", "Wdf01000.sys", "storport.sys", "alpha.sys", "beta.sys", "gamma.sys", "delta.sys"];

    private readonly Random _random;
    private readonly List<ScenarioRecord> _records = [];
    private readonly bool _hasStacks;
    private readonly bool _hasSamples;
    private readonly bool _hasSwitches;

    private RandomTrace(int seed)
    {
        _random = new Random(seed);
        _hasStacks = _random.Next(3) > 0;
        _hasSamples = _random.Next(5) > 0;
        _hasSwitches = _random.Next(5) > 0;
    }

    public static Scenario Of(int seed) => new RandomTrace(seed).Make(seed);

    private Scenario Make(int seed)
    {
        int cpus = 1 + _random.Next(3);
        for (int i = 0; i < Modules.Length; i++)
        {
            // Some are only in the rundown at the end.
            bool isLate = _random.Next(4) == 0;
            _records.Add(ScenarioRecords.Image(
                isLate ? KernelHook.ImageDCEnd : KernelHook.ImageDCStart, 0, isLate ? End + Millisecond : 1000, BaseOf(i), ImageBytes, 0,
                @"\SystemRoot\System32\drivers\" + Modules[i]));
        }

        for (int cpu = 0; cpu < cpus; cpu++)
        {
            for (uint i = 0; i < ThreadsOfCpu; i++)
            {
                uint thread = Thread(cpu, (int)i);
                _records.Add(ScenarioRecords.Process(0, 1100, 1000 + thread, $"work{i}.exe"));
                _records.Add(ScenarioRecords.Thread(0, 1200, thread, 1000 + thread, 8, (1ul << cpus) - 1));
            }

            new Cpu(this, cpu).Run();
            AddStates(new Random(~seed + (cpu << 20)), cpu, cpus);
        }

        return new Scenario
        {
            Name = $"random {seed}",
            Cpus = cpus,
            IntervalNanoseconds = _hasSamples ? Millisecond : null,
            Records = _records,
        };
    }

    /// <summary>What may be told of locks and of processors' states, whether it fits the rest or not.</summary>
    private void AddStates(Random random, int cpu, int cpus)
    {
        if (random.Next(2) == 0)
        {
            return;
        }

        for (int i = random.Next(200); i > 0; i--)
        {
            long at = Millisecond + (long)(random.NextDouble() * (End - (2 * Millisecond)));
            long length = Microsecond * (1 + random.Next(1500));
            _records.Add(random.Next(6) switch
            {
                0 or 1 => ScenarioPower.SpinLock(
                    cpu, at, 0xFFFF_A000_0000_0000 + (ulong)random.Next(2), BaseOf(random.Next(Modules.Length)) + 0x2000, at - length,
                    random.Next(2) * Microsecond * random.Next(1500), Thread(cpu, 0)),
                2 => ScenarioPower.Idle("idle-enter", cpu, at, (uint)random.Next(4)),
                3 => ScenarioPower.Idle(random.Next(3) == 0 ? "idle-latency" : "idle-exit", cpu, at, (uint)random.Next(4)),
                4 => ScenarioPower.Park(cpu, at, random.Next(cpus), random.Next(2) == 0),
                _ => ScenarioPower.Speed(cpu, at, (uint)random.Next(3), (uint)random.Next(3)),
            });
        }

        if (random.Next(4) == 0)
        {
            _records.Add(ScenarioPower.HypercallPage(cpu, Millisecond));
        }
    }

    private static uint Thread(int cpu, int number) => FirstThread + (uint)(cpu * ThreadsOfCpu) + (uint)number;

    private static ulong BaseOf(int module) => FirstBase + ((ulong)module * 2 * ImageBytes);

    private ulong Routine(int module) => BaseOf(module) + 0x1000 + (ulong)(_random.Next(3) * 0x4000);

    /// <summary>One CPU's time, from the start to the end.</summary>
    private sealed class Cpu(RandomTrace trace, int number)
    {
        private readonly Random _random = trace._random;
        private readonly List<(long From, long To, ulong Routine, int Depth, bool IsIsr)> _spans = [];
        private readonly List<(long From, uint Thread)> _runs = [(0, 0)];
        private readonly List<(long From, long To)> _masked = [];
        private long _now = 100 * Microsecond;

        public void Run()
        {
            while (_now < End - (10 * Millisecond))
            {
                _now += Length(400);
                switch (_random.Next(6))
                {
                    case 0 or 1:
                        _now = AddRoutine(_now, isIsr: false, Length(_random.Next(4) == 0 ? 3000 : 80), 0);
                        break;
                    case 2:
                        _now = AddRoutine(_now, isIsr: true, Length(20), 0);
                        break;
                    case 3:
                        Switch(_random.Next(2) == 0 ? 0 : Thread(number, _random.Next(ThreadsOfCpu)));
                        break;
                    case 4:
                        WakeUp();
                        break;
                    default:
                        long until = _now + Length(2500);
                        _masked.Add((_now, until));
                        _now = until;
                        break;
                }
            }

            if (trace._hasSamples)
            {
                AddSamples();
            }
        }

        private long Length(int mostMicroseconds) => Microsecond * (1 + _random.Next(mostMicroseconds)) / 2;

        private void WakeUp()
        {
            uint thread = Thread(number, _random.Next(ThreadsOfCpu));
            if (thread == _runs[^1].Thread || !trace._hasSwitches)
            {
                return;
            }

            trace._records.Add(ScenarioRecords.Ready(number, _now, thread, isFromDpc: false));
            _now += Length(20);
            if (_random.Next(2) == 0)
            {
                _now = AddRoutine(_now, isIsr: false, Length(2500), 0);
            }

            _now += Length(_random.Next(4) == 0 ? 2000 : 20);
            Switch(thread);
        }

        private void Switch(uint thread)
        {
            if (thread == _runs[^1].Thread || !trace._hasSwitches)
            {
                return;
            }

            const byte Waiting = 5;
            trace._records.Add(ScenarioRecords.Switch(
                number, _now, Place(_runs[^1].Thread), Place(thread), Waiting, 15, (byte)number));
            _runs.Add((_now, thread));
            _now += Microsecond;
        }

        private static ThreadPlace Place(uint thread) =>
            new(thread, thread == 0 ? (sbyte)0 : (sbyte)((thread % ThreadsOfCpu) switch { 0 => 8, 1 => 16, 2 => 24, _ => 31 }));

        /// <summary>Adds a routine with what interrupts it; the record of the inner one comes first.</summary>
        private long AddRoutine(long from, bool isIsr, long length, int depth)
        {
            ulong routine = trace.Routine(_random.Next(Modules.Length));
            long at = from;
            for (int i = 0; depth < 3 && i < 2 && _random.Next(3) == 0; i++)
            {
                long start = at + Length(10) + 100;
                at = AddRoutine(start, isIsr: true, Length(15), depth + 1) + 100;
            }

            if (!isIsr && routine - BaseOf(2) < ImageBytes && _random.Next(2) == 0)
            {
                trace._records.Add(ScenarioRecords.Callback(KernelHook.WdfDpc, number, at + 200, trace.Routine(4 + _random.Next(4))));
                at += 300;
            }

            if (_random.Next(8) == 0)
            {
                _masked.Add((at, at + length));
            }

            long to = at + length;
            trace._records.Add(ScenarioRecords.Routine(isIsr ? KernelHook.Isr : KernelHook.Dpc, number, from, to, routine, 0x61));
            _spans.Add((from, to, routine, depth, isIsr));
            return to;
        }

        private void AddSamples()
        {
            for (long beat = Millisecond + (number * 20 * Microsecond); beat < End; beat += Millisecond)
            {
                long at = beat;
                foreach ((long from, long to) in _masked.Order())
                {
                    at = from <= at && at < to ? to : at;
                }

                // One that is as late as the next one is lost with it.
                if (at - beat < Millisecond)
                {
                    AddSample(at + 100);
                }
            }
        }

        private void AddSample(long at)
        {
            uint thread = _runs.FindLast(run => run.From <= at).Thread;
            (long From, long To, ulong Routine, int Depth, bool IsIsr) inner = _spans.Where(span => span.From < at && at < span.To)
                .OrderByDescending(span => span.Depth).FirstOrDefault();
            bool isKernel = inner.Routine != 0 || thread == 0 || _random.Next(3) == 0;
            ulong hit = inner.Routine != 0 ? inner.Routine + 0x20
                : isKernel ? trace.Routine(_random.Next(Modules.Length)) + 0x40
                : UserCode;
            byte flags = (byte)(inner.Routine == 0 ? 0 : inner.IsIsr ? 2 : 1);
            trace._records.Add(ScenarioRecords.Sample(number, at, hit, thread, (byte)(flags | 0x40)));
            if (trace._hasStacks && isKernel)
            {
                ulong[] frames = inner.Routine != 0
                    ? [trace.Routine(_random.Next(Modules.Length)) + 0x99, hit, BaseOf(0) + 0x500]
                    : [hit, BaseOf(0) + 0x700];
                trace._records.Add(ScenarioRecords.Stack(number, at, 1000 + thread, thread, frames));
            }
        }
    }
}
