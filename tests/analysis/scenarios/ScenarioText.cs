using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Reads a scenario from its text; the README beside the texts says how they are written.</summary>
internal sealed class ScenarioText
{
    private const long Second = 1_000_000_000;

    private readonly string _name;
    private readonly List<ScenarioRecord> _records = [];
    private readonly List<ScenarioLoss> _losses = [];
    private readonly List<uint> _groups = [];
    private readonly ScenarioAddresses _addresses = new();
    private readonly ScenarioFunctions _functions = new();
    private readonly ScenarioExpectationText _expectation = new();
    private readonly List<string> _rundownAtEnd = [];
    private readonly List<string> _threads = [];
    private Scenario _scenario;
    private BlameRequest _request = new();
    private bool _isExpectation;
    private bool _hasWakeups;
    private long _last;

    private ScenarioText(string name)
    {
        _name = name;
        _scenario = new Scenario { Name = name };
    }

    public static Scenario Read(string name, string text)
    {
        var reading = new ScenarioText(name);
        foreach (string line in text.Split('\n'))
        {
            string words = line.Split('#')[0].Trim();
            if (words.Length > 0)
            {
                reading.Add(words);
            }
        }

        return reading.Complete();
    }

    private Scenario Complete()
    {
        foreach (string line in _threads)
        {
            AddThread(new ScenarioWords(line)); // They may begin in images that are told of later.
        }

        foreach (string line in _rundownAtEnd)
        {
            AddImage(new ScenarioWords(line), KernelHook.ImageDCEnd, _last + 1_000_000);
        }

        return _scenario with
        {
            Records = _records,
            Losses = _losses,
            Groups = _groups,
            Request = _request,
            Expected = _expectation.Done,
        };
    }

    private void Add(string line)
    {
        if (line == "expect")
        {
            _isExpectation = true;
        }
        else if (_isExpectation)
        {
            _expectation.Add(new ScenarioWords(line));
        }
        else
        {
            AddFact(line);
        }
    }

    private void AddFact(string line)
    {
        var words = new ScenarioWords(line);
        switch (words.Next())
        {
            case "cpus":
                _scenario = _scenario with { Cpus = (int)words.Number() };
                break;
            case "pointer":
                _scenario = _scenario with { PointerBytes = (int)words.Number() / 8 };
                break;
            case "clock":
                _scenario = _scenario with { TicksPerSecond = words.Number() };
                break;
            case "system-time":
                _scenario = _scenario with { ClockKind = TraceClockKind.SystemTime };
                break;
            case "step":
                _scenario = _scenario with { StepNanoseconds = words.Length().Nanoseconds };
                break;
            case "mode":
                _scenario = _scenario with { Mode = Enum.Parse<EtlLogFileMode>(words.Next(), ignoreCase: true) };
                break;
            case "mhz":
                _scenario = _scenario with { Mhz = words.Number() };
                break;
            case "buffer":
                _scenario = _scenario with { BufferBytes = (int)words.Number() };
                break;
            case "interval":
                _scenario = _scenario with { IntervalNanoseconds = words.Length().Nanoseconds };
                break;
            case "recorded":
                while (!words.IsEnd)
                {
                    _groups.Add(Group(words));
                }

                break;
            case "ask":
                _request = Asked(words);
                break;
            case "image":
                AddImage(words, line);
                break;
            case "process":
                uint process = words.Number();
                Take(ScenarioRecords.Process(0, 200, process, words.Next()));
                break;
            case "thread":
                _threads.Add(words.Rest());
                break;
            case "device":
                AddDevice(words);
                break;
            case "loss":
                AddLoss(words);
                break;
            case "function":
                string function = words.Next();
                _functions.Add(function, Address(words), words.HexNumber());
                _request = _request with { Names = _functions };
                break;
            case "hypervisor":
                Take(ScenarioPower.HypercallPage(0, 120));
                break;
            case "every":
                AddEvery(words);
                return;
            case "calm":
                AddCalm(words);
                break;
            default:
                AddRecord(new ScenarioWords(line));
                return;
        }

        words.ExpectEnd();
    }

    private static uint Group(ScenarioWords words) => words.Next() switch
    {
        "process" => 0x1,
        "thread" => 0x2,
        "image" => 0x4,
        "hard-fault" => 0x2000,
        "switch" => 0x2000_0004,
        "ready" => 0x2000_0200,
        "dpc" => 0x2000_0080,
        "isr" => 0x2000_4000,
        "sample" => 0x2000_0002,
        "dpc-queue" => 0x2004_0000,
        "wdf-dpc" => 0x8100_0000,
        "wdf-isr" => 0x8200_0000,
        _ => throw words.Error("a kind of record is expected"),
    };

    private BlameRequest Asked(ScenarioWords words) => words.Next() switch
    {
        "threshold" => _request with { Threshold = words.Length() },
        "probe" => _request with { Probe = Enum.Parse<ProbeChoice>(words.Next(), ignoreCase: true) },
        "min-priority" => _request with { MinPriority = (int)words.Number() },
        "period" => _request with { Period = words.Length() },
        "deadline" => _request with { Deadline = words.Length() },
        "process" => _request with { Process = words.Next() },
        "thread" => _request with { Thread = words.Number() },
        "from" => _request with { From = words.Length() },
        "to" => _request with { To = words.Length() },
        "cpu" => _request with { Cpus = [(int)words.Number()] },
        "suspect" => _request with { Suspect = words.Rest() },
        _ => throw words.Error("an option is expected"),
    };

    private void AddImage(ScenarioWords words, string line)
    {
        string name = words.Next();
        ulong imageBase = words.HexNumber();
        ulong size = words.HexNumber();
        _addresses.Add(name, imageBase, size);
        long at = 300;
        ushort hook = KernelHook.ImageDCStart;
        if (!words.IsEnd)
        {
            switch (words.Next())
            {
                case "company":
                    Take(ScenarioRecords.Company(0, 310, size, words.Rest()));
                    break;
                case "end-rundown":
                    _rundownAtEnd.Add(line["image ".Length..]);
                    return;
                case "load":
                    hook = KernelHook.ImageLoad;
                    at = words.Time();
                    break;
                case "unload":
                    hook = KernelHook.ImageUnload;
                    at = words.Time();
                    break;
                case "start-rundown":
                    break;
                default:
                    throw words.Error("company, load, unload, start-rundown or end-rundown is expected");
            }
        }

        words.ExpectEnd();
        AddImage(new ScenarioWords(line["image ".Length..]), hook, at);
    }

    private void AddImage(ScenarioWords words, ushort hook, long at)
    {
        string name = words.Next();
        Take(ScenarioRecords.Image(hook, 0, at, words.HexNumber(), words.HexNumber(), 0, @"\SystemRoot\System32\drivers\" + name));
    }

    private void AddThread(ScenarioWords words)
    {
        uint thread = words.Number();
        words.Expect("of");
        uint process = words.Number();
        byte priority = words.Takes("priority") ? (byte)words.Number() : (byte)8;
        ulong affinity = words.Takes("affinity") ? words.HexNumber() : (1ul << Math.Min(32, _scenario.Cpus)) - 1;
        ulong start = words.Takes("start") ? Address(words) : 0;
        Take(words.Takes("from")
            ? ScenarioRecords.Thread(0, words.Time(), thread, process, priority, affinity, start, ScenarioRecords.ThreadStart)
            : ScenarioRecords.Thread(0, 250, thread, process, priority, affinity, start));
        if (words.Takes("until"))
        {
            Take(ScenarioRecords.Thread(0, words.Time(), thread, process, priority, affinity, start, ScenarioRecords.ThreadEnd));
        }

        words.ExpectEnd();
    }

    private void AddDevice(ScenarioWords words)
    {
        string service = words.Next();
        words.Expect("class");
        Guid setupClass = words.Next() switch
        {
            "net" => new("4d36e972-e325-11ce-bfc1-08002be10318"),
            "display" => new("4d36e968-e325-11ce-bfc1-08002be10318"),
            "scsi" => new("4d36e97b-e325-11ce-bfc1-08002be10318"),
            "sdhost" => new("a0a588a4-c46f-4b37-b7ea-c82fe89870c6"),
            _ => throw words.Error("net, display, scsi or sdhost is expected"),
        };
        Take(ScenarioRecords.Device(0, _last + 100, service, setupClass, words.Rest()));
    }

    private void AddLoss(ScenarioWords words)
    {
        int cpu = words.Cpu();
        words.Expect("from");
        long from = words.Time();
        words.Expect("to");
        _losses.Add(new ScenarioLoss(cpu, from, words.Time(), words.Takes("events") ? words.Number() : 0));
    }

    /// <summary>One record many times: <c>every 1ms from 1ms to 50ms but 20ms to 26ms : +0us cpu0 sample nt+0x200</c>.</summary>
    private void AddEvery(ScenarioWords words)
    {
        long period = words.Length().Nanoseconds;
        words.Expect("from");
        long from = words.Time();
        words.Expect("to");
        long to = words.Time();
        List<(long From, long To)> breaks = [];
        while (words.Takes("but"))
        {
            long start = words.Time();
            words.Expect("to");
            breaks.Add((start, words.Time()));
        }

        words.Expect(":");
        string line = words.Rest();
        for (long at = from; at <= to; at += period)
        {
            if (!breaks.Exists(one => one.From <= at && at <= one.To))
            {
                AddRecord(new ScenarioWords(line) { Origin = at });
            }
        }
    }

    /// <summary>
    /// Twelve short waits of a thread, on no beat, each with a short DPC of the kernel: what it takes to tell that nothing was late,
    /// <c>calm cpu0 from 5ms thread 120(24) over 88(8)</c>.
    /// </summary>
    private void AddCalm(ScenarioWords words)
    {
        string cpu = string.Create(CultureInfo.InvariantCulture, $"cpu{words.Cpu()}");
        words.Expect("from");
        long from = words.Time();
        words.Expect("thread");
        string thread = words.Next();
        string over = words.Takes("over") ? words.Next() : "0(0)";
        string old = over == "0(0)" ? "" : " old ready";
        for (int i = 0; i < 12; i++)
        {
            string[] records =
            [
                $"+0us {cpu} ready {thread[..thread.IndexOf('(', StringComparison.Ordinal)]}",
                $"+5us {cpu} switch {over} -> {thread}{old}",
                $"+40us {cpu} dpc nt+0x900 from +30us",
                $"+60us {cpu} switch {thread} -> {over}",
            ];
            foreach (string record in records)
            {
                AddRecord(new ScenarioWords(record) { Origin = from + (i * 300_000L) + (i * i * 37_000L) });
            }
        }
    }

    private void AddRecord(ScenarioWords words)
    {
        long at = words.Time();
        int cpu = words.Cpu();
        string kind = words.Next();
        switch (kind)
        {
            case "isr" or "dpc" or "timer-dpc" or "threaded-dpc" or "passive-isr":
                AddRoutine(kind, at, cpu, words);
                break;
            case "switch":
                AddSwitch(at, cpu, words);
                break;
            case "ready":
                Take(ScenarioRecords.Ready(cpu, at, words.Number(), words.Takes("from-dpc")));
                break;
            case "sample":
                AddSample(at, cpu, words);
                break;
            case "stack-key":
                ulong given = words.HexNumber();
                Take(ScenarioRecords.StackKeyDeleted(cpu, at, given, [.. Frames(words)]));
                break;
            case "wdf-dpc" or "wdf-isr":
                Take(ScenarioRecords.Callback(kind == "wdf-dpc" ? KernelHook.WdfDpc : KernelHook.WdfIsr, cpu, at, Address(words)));
                break;
            case "enqueue":
                ulong key = words.HexNumber();
                uint target = words.Takes("to") ? (uint)words.Cpu() : (uint)cpu;
                byte importance = words.Takes("importance") ? (byte)words.Number() : (byte)1;
                Take(ScenarioRecords.Enqueue(cpu, at, key, target, importance, words.Takes("depth") ? words.Number() : 1));
                break;
            case "hard-fault":
                uint faulting = words.Number();
                words.Expect("from");
                long touched = words.Time();
                Take(ScenarioRecords.Fault(cpu, touched, at, faulting, words.Takes("bytes") ? words.Number() : 4096));
                break;
            case "disk-read":
                Take(ScenarioRecords.DiskRead(cpu, at));
                break;
            case "clock":
                Take(ScenarioRecords.Clock(cpu, at));
                break;
            case "suspend" or "restart" or "restarted":
                Take(RuntimeText.Read(words, kind, at, cpu));
                break;
            case "mark":
                Take(GlitchText.Mark(words.Next(), at, cpu));
                break;
            case "glitch" or "frame-glitch" or "frame" or "old-frame" or "kernel-frame" or "input":
                Take(GlitchText.Read(words, kind, at, cpu));
                break;
            case "execute":
                ulong routine = Address(words);
                Take(ScenarioRecords.Execute(cpu, at, routine, words.HexNumber()));
                break;
            case "capture-work":
                words.Expect("from");
                long began = words.Time();
                words.Expect("to");
                Take(WakeupText.Work(at, cpu, began, words.Time()));
                break;
            case "pit-sample":
                ulong instruction = Address(words);
                words.Expect("taken");
                words.Expect("at");
                long taken = words.Time();
                bool isMasked = words.Takes("masked");
                List<ulong> callers = words.Takes("callers") ? Frames(words) : [];
                BeginWakeups();
                Take(WakeupText.ReadSample(at, cpu, taken, isMasked, instruction, [.. callers]));
                break;
            case "smis":
                uint smis = words.Number();
                words.Expect("since");
                BeginWakeups();
                Take(WakeupText.Episode(at, cpu, words.Time(), smis));
                break;
            case "wakeup":
                BeginWakeups();
                Take(WakeupText.Read(words, at, cpu));
                break;
            case "acpi-method":
                string method = words.Next();
                bool isEnd = words.Takes("end");
                Take(ScenarioRecords.AcpiMethod(cpu, at, method, isEnd, words.Takes("took") ? words.Length().Nanoseconds : 0));
                break;
            case "standby":
                Take(words.Takes("possible")
                    ? ScenarioPower.StandbyIsPossible(cpu, at)
                    : ScenarioPower.Standby(cpu, at, isEntered: !words.Takes("left")));
                break;
            case "spinlock" or "park" or "unpark" or "idle-enter" or "idle-exit" or "idle-latency" or "speed":
                Take(AddState(kind, at, cpu, words));
                break;
            case "interval":
                Take(ScenarioRecords.Interval(cpu, at, words.Length().Nanoseconds));
                break;
            default:
                throw words.Error($"no record is called '{kind}'");
        }

        words.ExpectEnd();
    }

    private ScenarioRecord AddState(string kind, long at, int cpu, ScenarioWords words)
    {
        switch (kind)
        {
            case "spinlock":
                ulong address = words.HexNumber();
                words.Expect("by");
                ulong caller = Address(words);
                words.Expect("from");
                long from = words.Time();
                long waited = words.Takes("waited") ? words.Length().Nanoseconds : 0;
                return ScenarioPower.SpinLock(cpu, at, address, caller, from, waited, words.Takes("thread") ? words.Number() : 0);
            case "park" or "unpark":
                return ScenarioPower.Park(cpu, at, words.Cpu(), kind == "park");
            case "speed":
                uint speed = words.Number();
                words.Expect("after");
                return ScenarioPower.Speed(cpu, at, speed, words.Number());
            default:
                words.Expect("state");
                return ScenarioPower.Idle(kind, cpu, at, words.Number());
        }
    }

    private void BeginWakeups()
    {
        if (!_hasWakeups)
        {
            _hasWakeups = true;
            Take(WakeupText.Begin(150));
        }
    }

    private void AddRoutine(string kind, long at, int cpu, ScenarioWords words)
    {
        ushort hook = kind switch
        {
            "isr" => KernelHook.Isr,
            "dpc" => KernelHook.Dpc,
            "timer-dpc" => KernelHook.TimerDpc,
            "threaded-dpc" => KernelHook.ThreadedDpc,
            _ => KernelHook.PassiveIsr,
        };
        ulong routine = Address(words);
        words.Expect("from");
        long from = words.Takes("nowhere") ? -ScenarioShape.UsualStart * Second / _scenario.TicksPerSecond : words.Time();
        ushort vector = words.Takes("vector") ? (ushort)words.Number() : (ushort)0x60;
        Take(ScenarioRecords.Routine(hook, cpu, from, at, routine, vector, isClaimed: !words.Takes("unclaimed")));
    }

    private void AddSwitch(long at, int cpu, ScenarioWords words)
    {
        ThreadPlace old = words.Thread();
        words.Expect("->");
        ThreadPlace next = words.Thread();
        const byte Ready = 1;
        const byte Running = 2;
        const byte Terminated = 4;
        const byte Waiting = 5;
        string why = words.Takes("old") ? words.Next() : "waiting";
        byte state = why switch
        {
            _ when old.Thread == 0 => Running,
            "waiting" => Waiting,
            "ready" => Ready,
            "ended" => Terminated,
            "paging" or "lock" or "answer" => Waiting,
            _ => throw words.Error("the old thread is waiting, paging, ready or ended, or waits for a lock or an answer"),
        };
        const byte PageIn = 9;
        const byte Queue = 15;
        const byte Preempted = 32;
        byte ideal = words.Takes("ideal") ? (byte)words.Cpu() : (byte)cpu;
        const byte Resource = 27;
        const byte AlertByThreadId = 37;
        byte reason = why switch
        {
            "paging" => PageIn,
            "lock" => Resource,
            "answer" => AlertByThreadId,
            _ => state == Ready ? Preempted : Queue,
        };
        byte idleState = words.Takes("idle-state") ? (byte)words.Number() : (byte)0;
        Take(ScenarioRecords.Switch(cpu, at, old, next, state, reason, ideal, idleState));
    }

    private void AddSample(long at, int cpu, ScenarioWords words)
    {
        ulong instruction = Address(words);
        uint thread = words.Takes("thread") ? words.Number() : 0;
        byte flags = (byte)(words.Takes("dpc") ? 1 : words.Takes("isr") ? 2 : 0);
        const byte IdlePriority = 16;
        Take(ScenarioRecords.Sample(cpu, at, instruction, thread, (byte)(flags | ((thread == 0 ? IdlePriority : 8) << 3))));
        if (words.Takes("stack"))
        {
            Take(ScenarioRecords.Stack(cpu, at, 4, thread, [instruction, .. Frames(words)]));
        }
        else if (words.Takes("key"))
        {
            Take(ScenarioRecords.StackKey(cpu, at, 4, thread, words.HexNumber()));
        }
    }

    private List<ulong> Frames(ScenarioWords words)
    {
        List<ulong> frames = [];
        while (!words.IsEnd)
        {
            frames.Add(Address(words));
        }

        return frames;
    }

    private ulong Address(ScenarioWords words) => _addresses.Find(words);

    private void Take(ScenarioRecord record)
    {
        _records.Add(record);
        _last = Math.Max(_last, record.At);
    }
}
