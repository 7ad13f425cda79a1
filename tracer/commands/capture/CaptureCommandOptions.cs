using System.CommandLine;
using System.CommandLine.Parsing;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Triggers.Events;
using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>The options of <c>tracer capture</c>.</summary>
internal sealed class CaptureCommandOptions
{
    private const string Auto = "auto";
    private const int MostBufferMb = 65_536;

    private static readonly NamedChoice<TriggerKind> Kinds =
        new([.. TriggerKinds.Named.Select(static kind => (KebabCase.Of(kind), kind))])
        {
            Listed = string.Join(", ", TriggerKinds.Named.Select(KebabCase.Of)) + $" and {EventCondition.Form}",
        };

    private readonly Option<Duration?> _threshold;
    private readonly Option<string?> _output = new("--output", "-o")
    {
        Description = "The trace [default: tracer-DATE-TIME.etl]. With several episodes each has its number: FILE-2.etl.",
        HelpName = "FILE.etl",
    };

    private readonly Option<Duration?> _duration = DurationOption.Create(
        "--duration", "How long to watch [default: until --max-episodes or Ctrl+C].");

    private readonly Option<long?> _maxEpisodes = NumberOption.Create(
        "--max-episodes",
        "N",
        "End after this many captured episodes [default: 1; no limit with --duration or --keep-worst].",
        1,
        int.MaxValue);

    private readonly Option<Duration?> _pre;
    private readonly Option<Duration?> _post;
    private readonly Option<TriggerList?> _triggers = new("--trigger")
    {
        Description = "What triggers, one or several with commas: driver and wakeup, wake-ups measured by the driver or by a probe "
            + "process; job, deadlines that threads of --process miss, and stretches of time that their jobs lose; dpc and isr, how long "
            + $"these run; {EventCondition.Form}, events of any provider [default: driver where it is installed, else wakeup].",
        HelpName = "LIST",
        Arity = ArgumentArity.OneOrMore,
        CustomParser = ParseTriggers,
    };

    private readonly Option<string[]> _processes = new("--process")
    {
        Description = "Measure how long the threads of these processes are ready before they run.",
        HelpName = "NAME|PID",
    };

    private readonly Option<Duration?> _latency = DurationOption.Create(
        "--latency", "A thread of --process that is ready for this long is an episode [default: --threshold].");

    private readonly Option<Duration?> _deadline = DurationOption.Create(
        "--deadline", "With --trigger job: a job should be done this long after it should run [default: by its thread's next beat].");

    private readonly Option<bool> _saveOnExit = new("--save-on-exit")
    {
        Description = "Save what the ring holds when the capture ends by --duration or Ctrl+C.",
    };

    private readonly Option<long?> _probePriority = NumberOption.Create(
        "--probe-priority", "24|28", "Priority of the thread whose wake-ups the probe process measures.", 24, 28,
        CaptureDefaults.ProbePriority);

    private readonly Option<Duration?> _profileInterval;
    private readonly Option<bool> _noDriver = new("--no-driver") { Description = "Do not use the driver, even where it is installed." };
    private readonly Option<bool> _noStacks = new("--no-stacks") { Description = "Record no stacks: smaller, but less can be proved." };
    private readonly Option<bool> _spinLocks = new("--spin-locks")
    {
        Description = "Record who holds each spin lock that others wait for. This itself slows down whatever contends for them.",
    };

    private readonly Option<int?> _bufferMb = new("--buffer-mb")
    {
        Description = "Size of the ring in memory [default: auto, from the number of CPUs, at most 5 % of the memory].",
        HelpName = "auto|N",
        CustomParser = ParseBuffer,
    };

    private readonly Option<long?> _keepWorst = NumberOption.Create(
        "--keep-worst", "N", "Keep this many of the worst episodes, and delete the others [default: --max-episodes, or 10].", 1, 1000);

    private readonly Option<string?> _onEpisode = new("--on-episode")
    {
        Description = "Run this for each episode with the command interpreter, which does the quoting; TRACER_FILE, TRACER_LATENCY_US, "
            + "TRACER_TRIGGER and TRACER_VERDICT are in its environment. It is not waited for.",
        HelpName = "COMMAND",
    };

    private readonly Option<bool> _open = new("--open")
    {
        Description = "At the end, open the page of the worst episode in the browser.",
    };

    private readonly Option<TextOrJson> _format = ScreenFormat.Option("How to print: text, or one JSON object a line [default: text].");

    /// <param name="defaults">What they are when they are not given.</param>
    public CaptureCommandOptions(CaptureOptions defaults)
    {
        _threshold = DurationOption.Create("--threshold", "Latency at or above this is an episode.", defaults.Threshold);
        _pre = DurationOption.Create("--pre", "How much of the time before an episode to keep.", defaults.Pre);
        _post = DurationOption.Create("--post", "How much of the time after an episode to keep.", defaults.Post);
        _profileInterval = DurationOption.Create(
            "--profile-interval", "Time between two samples of a CPU; restored at the end.", defaults.ProfileInterval);
    }

    /// <summary>All, in the order of the help.</summary>
    public IEnumerable<Option> All =>
    [
        _threshold, _output, _duration, _maxEpisodes, _pre, _post, _triggers, _processes, _latency, _deadline, _probePriority,
        _profileInterval, _noDriver, _noStacks, _spinLocks, _bufferMb, _keepWorst, _saveOnExit, _onEpisode, _open, _format,
    ];

    /// <summary>Those that a service can have: it writes into its own folder, to its own log, and does not end.</summary>
    public IEnumerable<Option> OfService => All.Except([_output, _duration, _maxEpisodes, _saveOnExit, _open, _format]);

    /// <summary>Whether the page of the worst episode is opened.</summary>
    public bool Opens(ParseResult parse) => parse.GetValue(_open);

    /// <summary>Whether JSON lines are wanted.</summary>
    public bool IsJson(ParseResult parse) => parse.GetValue(_format) == TextOrJson.Json;

    /// <param name="defaultPath">Makes the name of the trace where none is given.</param>
    public CaptureOptions Read(ParseResult parse, Func<string> defaultPath) => new()
    {
        Threshold = parse.GetValue(_threshold)!.Value,
        OutputPath = parse.GetValue(_output) ?? defaultPath(),
        Duration = parse.GetValue(_duration),
        MaxEpisodes = (int?)parse.GetValue(_maxEpisodes),
        Pre = parse.GetValue(_pre)!.Value,
        Post = parse.GetValue(_post)!.Value,
        Triggers = parse.GetValue(_triggers)?.Kinds ?? [],
        Events = parse.GetValue(_triggers)?.Events ?? [],
        Processes = [.. (parse.GetValue(_processes) ?? []).Distinct(StringComparer.OrdinalIgnoreCase)],
        ProcessLatency = parse.GetValue(_latency),
        Deadline = parse.GetValue(_deadline),
        SaveOnExit = parse.GetValue(_saveOnExit),
        ProbePriority = (int)parse.GetValue(_probePriority)!.Value,
        ProfileInterval = parse.GetValue(_profileInterval)!.Value,
        WithDriver = !parse.GetValue(_noDriver),
        WithStacks = !parse.GetValue(_noStacks),
        WithSpinLocks = parse.GetValue(_spinLocks),
        BufferMb = parse.GetValue(_bufferMb) is > 0 and { } mb ? mb : null,
        KeepWorst = (int?)parse.GetValue(_keepWorst),
        OnEpisode = parse.GetValue(_onEpisode),
    };

    /// <summary>What is wrong with the values, each of which is right by itself; null when nothing is.</summary>
    public string? Problem(ParseResult parse)
    {
        CaptureOptions options = Read(parse, static () => "x.etl");
        string? range = OutOfRange("--threshold", options.Threshold, Duration.FromMicroseconds(1), Duration.FromSeconds(60))
            ?? OutOfRange("--duration", options.Duration, Duration.FromSeconds(1), Duration.FromSeconds(366L * 24 * 3600))
            ?? OutOfRange("--pre", options.Pre, Duration.Zero, Duration.FromSeconds(60))
            ?? OutOfRange("--post", options.Post, Duration.Zero, Duration.FromSeconds(60))
            ?? OutOfRange("--latency", options.ProcessLatency, Duration.FromMicroseconds(1), Duration.FromSeconds(60))
            ?? OutOfRange("--deadline", options.Deadline, Duration.FromMicroseconds(1), Duration.FromSeconds(60))
            ?? OutOfRange("--profile-interval", options.ProfileInterval, Duration.FromMicroseconds(122), Duration.FromSeconds(1));
        if (range is not null)
        {
            return range;
        }

        if (options.ProbePriority is not (24 or 28))
        {
            return $"--probe-priority: {options.ProbePriority} is neither 24 nor 28, which are what a real-time process can have";
        }

        if (!options.WithDriver && options.Triggers.Contains(TriggerKind.Driver))
        {
            return "--no-driver and --trigger driver contradict each other";
        }

        if (options.ProcessLatency is not null && options.Processes.Count == 0)
        {
            return "--latency says how late threads of --process may run: name a process as well, such as --process audiodg.exe";
        }

        if (options.Triggers.Contains(TriggerKind.Job) && options.Processes.Count == 0)
        {
            return "--trigger job follows the threads of --process: name a process as well, such as --process audiodg.exe";
        }

        if (options.Deadline is not null && !options.Triggers.Contains(TriggerKind.Job))
        {
            return "--deadline says when a job should be done: give --trigger job as well";
        }

        if (options.Processes.FirstOrDefault(static one => one.AsSpan().Trim().IsEmpty || one.AsSpan().IndexOfAny('\\', '/') >= 0)
            is { } process)
        {
            return $"--process: '{process}' is neither the name of an image without its folder, such as audiodg.exe, nor a process id";
        }

        if (string.IsNullOrWhiteSpace(options.OutputPath) || Path.GetFileName(options.OutputPath).Length == 0)
        {
            return "--output: the name of a file is expected";
        }

        string folder = Path.GetDirectoryName(Path.GetFullPath(options.OutputPath)) ?? "";
        return !Directory.Exists(folder) ? $"--output: there is no folder {folder}"
            : options.OnEpisode is { } command && string.IsNullOrWhiteSpace(command) ? "--on-episode: a command is expected"
            : null;
    }

    private static string? OutOfRange(string name, Duration? value, Duration least, Duration most) =>
        value is { } given && (given < least || given > most) ? $"{name}: {given} is not between {least} and {most}" : null;

    private static TriggerList? ParseTriggers(ArgumentResult result)
    {
        List<TriggerKind> kinds = [];
        List<EventCondition> events = [];
        foreach (string name in result.Tokens.SelectMany(static token => TriggerList.Split(token.Value)))
        {
            if (name.TrimStart().StartsWith(EventCondition.Prefix, StringComparison.OrdinalIgnoreCase))
            {
                if (!EventCondition.TryParse(name.Trim(), out EventCondition? condition, out string? problem))
                {
                    result.AddError($"--trigger: {problem}");
                    return null;
                }

                events.Add(condition);
            }
            else if (Kinds.TryRead(result, name, out TriggerKind kind, isLoose: true))
            {
                kinds.Add(kind);
            }
            else
            {
                return null;
            }
        }

        return new TriggerList([.. kinds.Distinct()], events);
    }

    private static int? ParseBuffer(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (text == Auto)
        {
            return 0;
        }

        if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int mb) && mb is >= 1 and <= MostBufferMb)
        {
            return mb;
        }

        result.AddError($"--buffer-mb: '{text}' is neither auto nor a number of 1 to {MostBufferMb}");
        return null;
    }
}
