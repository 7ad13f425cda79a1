using System.CommandLine;
using System.Runtime.Versioning;
using Tracer.Capture.Driver.Install;
using Tracer.Measure;
using Tracer.Measure.Ground;
using Tracer.Measure.Loads;
using Tracer.Measure.Machine;
using Tracer.Measure.Measurements;
using Tracer.Measure.Papers;
using Tracer.TracerCommand.Common;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary><c>tracer measure</c>: measurements of timers, clocks and threads on this machine.</summary>
internal static class MeasureCommand
{
    /// <summary>Makes the command for this machine.</summary>
    public static Command Create() => Create(
        OperatingSystem.IsLinux() ? LinuxHere : OperatingSystem.IsWindows() ? WindowsHere : null, DriverMachine.Current);

    /// <param name="machine">Gives the machine; null where there is none that measurements know.</param>
    /// <param name="driver">Where the driver is; null where it can't be.</param>
    public static Command Create(Func<IMeasureMachine>? machine, DriverMachine? driver = null) => new ExampleCommand(
        "measure",
        "Measure what papers on real-time behaviour measured, on this machine (Windows or Linux): clocks, timers, wake-ups, switches of "
        + "threads, interruptions, the network stack.",
        "tracer measure preempt --duration 1min",
        "tracer measure sleep --length 5ms --priority normal",
        "tracer measure clock --format json -o clock.json")
    {
        All(machine, driver),
        MeasureThreads.Background(machine),
        Clock(machine),
        MeasureThreads.Deadline(machine),
        MeasureThreads.Interrupt(machine, driver),
        MeasureThreads.Interference(machine),
        LoadCommand.Create(),
        MeasureThreads.Operator(machine),
        PeerCommand.Create(machine),
        Preempt(machine),
        MeasureThreads.Preemption(machine),
        MeasureThreads.Quantum(machine),
        Sleep(machine),
        MeasureThreads.Switch(machine),
        MeasureThreads.Calls(machine),
        MeasureThreads.Timer(machine),
        MeasureThreads.Udp(machine),
        MeasureThreads.Wakeup(machine, driver),
    };

    [SupportedOSPlatform("linux")]
    private static LinuxMachine LinuxHere() => new();

    [SupportedOSPlatform("windows")]
    private static WindowsMachine WindowsHere() => new();

    private static ExampleCommand All(Func<IMeasureMachine>? machine, DriverMachine? driver)
    {
        NamedChoice<PaperName> names = NamedChoice.OfAll<PaperName>();
        Option<PaperName> profile = names.Option("--profile", "The paper [default: paper-bernadat].");
        var options = new MeasureOptions(Duration.FromSeconds(5), profile)
        {
            IsPriorityGiven = true,
            IsDriverAided = true,
            Driver = driver,
        };
        return options.Finish(
            new ExampleCommand(
                "all",
                "Measure all that a paper's figures need, and print them beside the published ones. The duration is that of each "
                + "measurement.",
                "tracer measure all --profile paper-bernadat",
                "tracer measure all --profile paper-jones --duration 10s --format csv"),
            machine,
            (parse, _) =>
            {
                PaperName paper = parse.GetValue(profile);
                LoadKind load = options.LoadOf(parse);
                return (here, request, stop) => MeasureOutput.Of(PaperRun.Run(here, paper, request, load, stop));
            });
    }

    private static ExampleCommand Clock(Func<IMeasureMachine>? machine)
    {
        var options = new MeasureOptions(Duration.FromSeconds(2));
        return options.Finish(
            new ExampleCommand(
                "clock",
                "What each clock of the system can tell apart, and what reading it costs (Bernadat 1999, Tables 1 and 2).",
                "tracer measure clock"),
            machine,
            static (_, _) => static () => new ClockMeasurement());
    }

    private static ExampleCommand Sleep(Func<IMeasureMachine>? machine)
    {
        Option<Duration?> length = DurationOption.Create("--length", "How long each sleep should be.", Duration.FromMilliseconds(5));
        Option<Duration?> spread = DurationOption.Create(
            "--spread", "Busy for a random time below this before each sleep.", Duration.FromMilliseconds(1));
        var options = new MeasureOptions(Duration.FromSeconds(10), length, spread) { HasWakeups = true };
        return options.Finish(
            new ExampleCommand(
                "sleep",
                "How much longer or shorter sleeps are than they should be (Bernadat 1999, Table 8).",
                "tracer measure sleep --duration 1min",
                "tracer measure sleep --length 1ms --priority normal"),
            machine,
            (parse, problems) =>
            {
                Duration wanted = Within(parse, length, Duration.FromMicroseconds(1), Duration.FromSeconds(60), problems);
                Duration random = Within(parse, spread, Duration.Zero, Duration.FromSeconds(1), problems);
                return () => new SleepMeasurement(wanted, random);
            });
    }

    private static ExampleCommand Preempt(Func<IMeasureMachine>? machine)
    {
        Option<Duration?> active = DurationOption.Create("--active", "How long it computes at a time.", Duration.FromMilliseconds(33));
        Option<Duration?> pause = DurationOption.Create("--pause", "How long it sleeps between.", Duration.FromMilliseconds(33));
        Option<long?> ratio = NumberOption.Create(
            "--ratio", "N", "What takes longer than the shortest iteration by this many times that is an interruption.", 1, 1_000, 4);
        var options = new MeasureOptions(Duration.FromSeconds(10), active, pause, ratio);
        return options.Finish(
            new ExampleCommand(
                "preempt",
                "How often and how long a computing thread is interrupted or preempted (Bernadat 1999, section 6 and appendix B).",
                "tracer measure preempt --duration 1min",
                "tracer measure preempt --priority normal --cpu 1"),
            machine,
            (parse, problems) =>
            {
                Duration busy = Within(parse, active, Duration.FromMicroseconds(100), Duration.FromSeconds(60), problems);
                Duration idle = Within(parse, pause, Duration.Zero, Duration.FromSeconds(60), problems);
                int times = (int)parse.GetValue(ratio)!.Value;
                return () => new PreemptMeasurement(busy, idle, times);
            });
    }

    /// <summary>A duration within limits; what is beyond them is told.</summary>
    internal static Duration Within(ParseResult parse, Option<Duration?> option, Duration least, Duration most, List<string> problems)
    {
        Duration value = parse.GetValue(option)!.Value;
        if (value < least || value > most)
        {
            problems.Add($"{option.Name}: {value} is not between {least} and {most}");
        }

        return value;
    }
}

/// <summary>The options that all measurements share, and how they run.</summary>
internal sealed class MeasureOptions
{
    private static readonly NamedChoice<MeasurePriority> Priorities = NamedChoice.OfAll<MeasurePriority>();
    private static readonly NamedChoice<MeasureFormat> Formats = NamedChoice.OfAll<MeasureFormat>();
    private static readonly Duration WarmUp = Duration.FromMilliseconds(300);

    private readonly Option[] _own;
    private readonly Option<Duration?> _duration;
    private readonly Option<Duration?> _warmUp;
    private readonly Option<MeasurePriority> _priority = Priorities.Option(
        "--priority", "Class of the measuring thread [default: real-time].");
    private readonly Option<long?> _cpu = NumberOption.Create("--cpu", "N", "Bind the measuring thread to a CPU [default: any].", 0, 1_023);
    private readonly Option<bool> _require = new("--require")
    {
        Description = "Fail where the system refuses a setting, instead of measuring without it.",
    };

    private readonly Option<bool> _awake = new("--no-idle")
    {
        Description = "Keep idle CPUs out of states that take time to leave (Linux).",
    };

    private readonly Option<long?> _timerResolution = NumberOption.Create(
        "--timer-resolution", "MS", "How fine the system's timers are asked to be (Windows), in milliseconds.", 1, 15, 1);

    private readonly Option<bool> _noDriver = new("--no-driver") { Description = "Measure without the kernel driver (Windows)." };

    private readonly Option<string?> _peer = new("--peer")
    {
        Description = "Where 'tracer measure peer' runs [default: started here].",
        HelpName = "HOST:PORT",
    };

    private readonly Option<string?> _events = new("--events")
    {
        Description = "Write each wake-up as an event of a trace, for 'analyzer latency' and 'analyzer blame'.",
        HelpName = "FILE.etl",
    };

    private readonly Option<LoadKind> _load = LoadCommand.Kinds.Option("--load", "What runs beside it [default: idle].");
    private readonly Option<long?> _seed = NumberOption.Create("--seed", "N", "Seed of random times and loads.", 0, long.MaxValue, 1);
    private readonly Option<MeasureFormat> _format = Formats.Option(
        "--format", "How to print [default: text, and html for a file whose name ends so].");
    private readonly Option<string?> _output = new("--output", "-o")
    {
        Description = "Write to a file [default: standard output].",
        HelpName = "FILE",
    };

    /// <param name="usual">How long to measure where nothing else is asked for.</param>
    public MeasureOptions(Duration usual, params Option[] own)
    {
        _own = own;
        _duration = DurationOption.Create("--duration", "How long to measure.", usual);
        _warmUp = DurationOption.Create("--warm-up", "How long to do the same first, without counting.", WarmUp);
    }

    /// <summary>Whether it wakes a thread at times that are known.</summary>
    public bool HasWakeups { get; init; }

    /// <summary>Gives a trace that is read, which no output may replace; null where none is.</summary>
    public Func<ParseResult, string?>? Input { get; init; }

    /// <summary>Whether another process answers.</summary>
    public bool HasPeer { get; init; }

    /// <summary>Whether the kernel driver sees more of what is measured.</summary>
    public bool IsDriverAided { get; init; }

    /// <summary>Where the driver is; null where it can't be.</summary>
    public DriverMachine? Driver { get; init; }

    /// <summary>Whether the class of the threads is no choice of the user's.</summary>
    public bool IsPriorityGiven { get; init; }

    /// <summary>Gives a command its options and what it does.</summary>
    /// <param name="machine">Gives the machine; null where there is none.</param>
    /// <param name="measurement">Reads the measurement's own options, tells what is wrong with them, and makes it.</param>
    public ExampleCommand Finish(
        ExampleCommand command, Func<IMeasureMachine>? machine, Func<ParseResult, List<string>, Func<IMeasurement>> measurement) => Finish(
            command, machine, (parse, problems) =>
            {
                Func<IMeasurement> make = measurement(parse, problems);
                return (here, request, stop) => MeasureOutput.Of(MeasureRun.Run(here, request, make, stop));
            });

    /// <summary>Gives a command its options and what it does.</summary>
    /// <param name="machine">Gives the machine; null where there is none.</param>
    /// <param name="work">Reads the command's own options, tells what is wrong with them, and gives what measures.</param>
    public ExampleCommand Finish(
        ExampleCommand command, Func<IMeasureMachine>? machine,
        Func<ParseResult, List<string>, Func<IMeasureMachine, MeasureRequest, CancellationToken, MeasureOutput>> work)
    {
        foreach (Option option in (IEnumerable<Option>)
            [
                .. _own, .. HasPeer ? [_peer] : Array.Empty<Option>(), _duration, _warmUp,
                .. IsPriorityGiven ? Array.Empty<Option>() : [_priority], _cpu, _require, _awake, _timerResolution, _load, _seed,
                _format, _output,
                .. HasWakeups ? [_events] : Array.Empty<Option>(), .. IsDriverAided ? [_noDriver] : Array.Empty<Option>(),
            ])
        {
            command.Options.Add(option);
        }

        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            List<string> problems = [];
            Func<IMeasureMachine, MeasureRequest, CancellationToken, MeasureOutput> measure = work(parse, problems);
            MeasureRequest request = RequestOf(parse, problems);
            string? path = parse.GetValue(_output);
            string? events = HasWakeups ? parse.GetValue(_events) : null;
            string[] read = Input?.Invoke(parse) is { } input ? [input] : [];
            problems.AddRange(new[]
            {
                OutputFile.Problem("--output", path, read),
                OutputFile.Problem("--events", events, read),
                events is not null && path is not null && Path.GetFullPath(events) == Path.GetFullPath(path)
                    ? $"--events: {events} is what --output writes; write to another file"
                    : null,
            }.OfType<string>());

            if (problems.Count > 0)
            {
                problems.ForEach(problem => error.WriteLine($"tracer: {problem}"));
                error.WriteLine($"See 'tracer measure {command.Name} --help'.");
                return ExitCode.WrongUsage;
            }

            if (machine is null)
            {
                error.WriteLine("tracer: 'measure' knows Windows and Linux, and this is neither");
                return ExitCode.Failed;
            }

            MeasureFormat format = parse.GetResult(_format) is null && path?.EndsWith(".html", StringComparison.OrdinalIgnoreCase) == true
                ? MeasureFormat.Html
                : parse.GetValue(_format);
            MeasureRequest asked = events is null ? request : request with { Wakeups = new WakeupLog() };
            return Run(machine, asked, parse.GetValue(_load), measure, format, path, events, parse.InvocationConfiguration);
        });
        return command;
    }

    public LoadKind LoadOf(ParseResult parse) => parse.GetValue(_load);

    private static int Run(
        Func<IMeasureMachine> open, MeasureRequest request, LoadKind load,
        Func<IMeasureMachine, MeasureRequest, CancellationToken, MeasureOutput> measure, MeasureFormat format, string? path,
        string? eventsPath, InvocationConfiguration console)
    {
        // Opened before anything is measured: it would be a pity to find after an hour that it can't be.
        using OutputFile? file = path is null ? null : new OutputFile(path);
        using OutputFile? events = eventsPath is null ? null : new OutputFile(eventsPath, mustSeek: true);
        MeasureOutput report;
        try
        {
            using IMeasureMachine machine = open();
            using var signals = new CaptureSignals();
            using var end = CancellationTokenSource.CreateLinkedTokenSource(signals.Finish, signals.Abandon);
            using LoadProcess? beside = load == LoadKind.Idle ? null : LoadProcess.Start(load, request.Seed);
            report = measure(machine, request, end.Token);
            beside?.MustWork();
            if (events is not null)
            {
                MeasuredTrace.Write(request.Wakeups!, machine.Describe(), DateTime.UtcNow, request.Priority, events.Content);
            }
        }
        catch (OperationCanceledException)
        {
            console.Error.WriteLine("tracer: ended before everything was measured; nothing is printed");
            return ExitCode.Failed;
        }
        catch (MeasureException refusal)
        {
            console.Error.WriteLine($"tracer: {refusal.Message}");
            return ExitCode.Failed;
        }

        MeasurePrinting.Print(report, format, file, console.Output);
        events?.Keep();
        return ExitCode.Done;
    }

    private MeasureRequest RequestOf(ParseResult parse, List<string> problems)
    {
        Duration length = MeasureCommand.Within(parse, _duration, Duration.FromMilliseconds(1), Duration.FromSeconds(86_400), problems);
        Duration before = MeasureCommand.Within(parse, _warmUp, Duration.Zero, Duration.FromSeconds(60), problems);
        string? peer = HasPeer ? parse.GetValue(_peer) : null;
        if (parse.GetResult(_timerResolution) is { Implicit: false } && !OperatingSystem.IsWindows())
        {
            problems.Add("--timer-resolution: timers have no such setting here; Windows has it");
        }

        if (peer is not null && !IsHostAndPort(peer))
        {
            problems.Add($"--peer: '{peer}' is not a host with a port, such as 192.168.1.20:7007");
        }

        return new MeasureRequest
        {
            Peer = peer,
            Driver = IsDriverAided && Driver is not null && !parse.GetValue(_noDriver) ? new MeasureDriver(Driver) : null,
            Duration = length,
            WarmUp = before,
            Priority = IsPriorityGiven ? MeasurePriority.RealTime : parse.GetValue(_priority),
            Cpu = (int?)parse.GetValue(_cpu),
            MustHaveSettings = parse.GetValue(_require),
            StaysAwake = parse.GetValue(_awake),
            TimerMilliseconds = (int)parse.GetValue(_timerResolution)!.Value,
            Seed = parse.GetValue(_seed)!.Value,
            Parameters =
            [
                .. _own.Select(option => new MeasureParameter(option.Name[2..], Written(parse, option))),
                .. peer is null ? Array.Empty<MeasureParameter>() : [new("peer", peer)],
                new("duration", length.ToString()),
                new("warm-up", before.ToString()),
                .. IsPriorityGiven
                    ? Array.Empty<MeasureParameter>()
                    : [new("priority", Priorities.NameOf(parse.GetValue(_priority)))],
                new("load", LoadCommand.Kinds.NameOf(parse.GetValue(_load))),
                new("seed", parse.GetValue(_seed)!.Value.ToString(CultureInfo.InvariantCulture)),
            ],
        };
    }

    private static bool IsHostAndPort(string text)
    {
        int colon = text.LastIndexOf(':');
        return colon > 0 && ushort.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out ushort port)
            && port > 0;
    }

    private static string Written(ParseResult parse, Option option) => option switch
    {
        Option<Duration?> duration => parse.GetValue(duration)?.ToString() ?? "",
        Option<long?> number => parse.GetValue(number)?.ToString(CultureInfo.InvariantCulture) ?? "",
        Option<bool> flag => parse.GetValue(flag) ? "yes" : "no",
        Option<PaperName> paper => KebabCase.Of(parse.GetValue(paper)),
        _ => "",
    };
}
