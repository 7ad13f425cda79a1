using System.CommandLine;
using System.CommandLine.Parsing;
using Tracer.Forecast;

namespace Tracer.AnalyzerShared.Options;

/// <summary>The options that ask for a forecast: how much the machine is used, and what runs on it.</summary>
internal sealed class ForecastOptions
{
    private const int MostRate = 10_000_000;
    private const int MostSamples = 1 << 24;
    private const int DefaultRate = Defaults.SampleRate;
    private const int DefaultBuffers = 2;
    private const int MostApplications = 32;

    private readonly Option<string?> _usage = new("--usage")
    {
        Description = "Forecast the worst case of an hour, a day and a week of this much use.",
        HelpName = "8h/day,5d/week",
    };

    private readonly Option<long[]?> _buffers = Numbers(
        "--buffers", "Forecast dropouts with this many buffers, such as 2 or 2,3,4 [default: 2].", 2, Buffering.MostBuffers);

    private readonly Option<Duration[]?> _buffer = new("--buffer")
    {
        Description = "How long one of the buffers lasts, such as 10ms or 5ms,10ms.",
        HelpName = "LIST",
        CustomParser = ParseDurations,
    };

    private readonly Option<Duration?> _compute = DurationOption.Create("--compute", "How long the application computes for one buffer.");
    private readonly Option<long[]?> _samples = Numbers(
        "--samples", "How many samples a buffer has, such as 64 or 64,128, instead of --buffer.", 1, MostSamples);

    private readonly Option<long?> _rate = NumberOption.Create("--rate", "HZ", "Samples a second [default: 48000].", 1, MostRate);

    private readonly Option<string?> _applications = new("--application")
    {
        Description = "Forecast dropouts of these, with the buffers of OSDI'99 Table 1: "
            + string.Join(", ", KnownApplication.All.Select(one => one.Name)) + ".",
        HelpName = "LIST",
    };

    private readonly Option<string?> _tasks = new("--tasks")
    {
        Description = "Whether these periodic tasks keep up together: PERIOD/COMPUTE or PERIOD/COMPUTE/BUFFERS, with commas between them.",
        HelpName = "10ms/2ms,16ms/4ms",
    };

    private readonly Option<Duration?> _permit = DurationOption.Create(
        "--permit", "One dropout of a task is permitted in this time [default: 1h].");

    /// <summary>The options, in the order of the help.</summary>
    public IEnumerable<Option> All => [_usage, _buffers, _buffer, _compute, _samples, _rate, _applications, _tasks, _permit];

    /// <summary>What a page is asked where nobody says what: the buffers of sound that its reader may choose from.</summary>
    public static ForecastQuestion Unasked { get; } = new() { Applications = UsualApplications() };

    /// <param name="question">What is asked for; null where no forecast is.</param>
    /// <returns>What is wrong with the values; null where nothing is.</returns>
    public string? Read(ParseResult parse, out ForecastQuestion? question)
    {
        question = null;
        if (All.All(option => parse.GetResult(option) is null or { Implicit: true }))
        {
            return null;
        }

        UsagePattern? usage = UsagePattern.Office;
        string? problem = parse.GetValue(_usage) is { } text && !UsagePattern.TryParse(text, out usage, out string? why)
            ? $"--usage: {why}"
            : null;
        List<AskedApplication> applications = [];
        List<PeriodicTask> tasks = [];
        problem ??= ReadBuffers(parse, applications) ?? ReadKnown(parse, applications) ?? ReadTasks(parse, tasks) ?? ReadPermit(parse);
        question = problem is null
            ? new ForecastQuestion { Usage = usage!, Applications = applications, Tasks = tasks, PermittedNs = Permitted(parse) }
            : null;
        return problem;
    }

    /// <summary>What is asked for, with the usual applications where the options name none.</summary>
    /// <returns>What is wrong with the values; null where nothing is.</returns>
    public string? ReadForPage(ParseResult parse, out ForecastQuestion question)
    {
        string? problem = Read(parse, out ForecastQuestion? asked);
        question = asked is null ? Unasked
            : asked.Applications.Count > 0 || asked.Tasks.Count > 0 ? asked
            : asked with { Applications = Unasked.Applications };
        return problem;
    }

    private static List<AskedApplication> UsualApplications()
    {
        List<AskedApplication> usual = [];
        AddSizes(usual, null, [Defaults.SmallestBufferSamples, 128, 256, 512, 1024], DefaultRate, DefaultBuffers, isUsual: true, 0);
        return usual;
    }

    private static Option<long[]?> Numbers(string name, string description, long least, long most) => new(name)
    {
        Description = description,
        HelpName = "LIST",
        CustomParser = result =>
        {
            List<long> numbers = [];
            foreach (string text in result.Tokens[0].Value.Split(','))
            {
                if (!long.TryParse(text.Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out long number)
                    || number < least || number > most)
                {
                    result.AddError(string.Create(
                        CultureInfo.InvariantCulture, $"{name}: '{text}' is not a whole number from {least} to {most}"));
                    return null;
                }

                numbers.Add(number);
            }

            return [.. numbers.Distinct()];
        },
    };

    private static Duration[]? ParseDurations(ArgumentResult result)
    {
        List<Duration> durations = [];
        foreach (string text in result.Tokens[0].Value.Split(','))
        {
            if (!Duration.TryParse(text.Trim(), out Duration duration, out string? problem))
            {
                result.AddError($"--buffer: {problem}");
                return null;
            }

            durations.Add(duration);
        }

        return [.. durations.Distinct()];
    }

    private string? ReadBuffers(ParseResult parse, List<AskedApplication> applications)
    {
        // What was not given is an empty list.
        Duration[]? lengths = parse.GetValue(_buffer) is { Length: > 0 } durations ? durations : null;
        long[]? samples = parse.GetValue(_samples) is { Length: > 0 } numbers ? numbers : null;
        long[]? buffers = parse.GetValue(_buffers) is { Length: > 0 } several ? several : null;
        if (lengths is not null && samples is not null)
        {
            return "--buffer and --samples both say how long a buffer is; leave one out";
        }

        if (parse.GetValue(_rate) is not null && samples is null)
        {
            return "--rate is the rate of samples; write --samples, too";
        }

        if (lengths is null && samples is null)
        {
            bool isAlone = buffers is not null || (parse.GetValue(_compute) is not null && parse.GetValue(_applications) is null);
            return isAlone ? "how long is a buffer? Write --buffer DURATION or --samples N, too" : null;
        }

        long[] counts = buffers ?? [DefaultBuffers];
        if (counts.Length * (lengths?.Length ?? samples!.Length) > MostApplications)
        {
            return string.Create(
                CultureInfo.InvariantCulture, $"more than {MostApplications} kinds of buffering make no readable table; name fewer");
        }

        foreach (long count in counts)
        {
            AddSizes(
                applications,
                lengths,
                samples,
                parse.GetValue(_rate) ?? DefaultRate,
                (int)count,
                counts is [DefaultBuffers],
                parse.GetValue(_compute)?.Nanoseconds ?? 0);
        }

        return ProblemOf(applications);
    }

    /// <summary>
    /// Adds the sizes for one number of buffers, in one sentence: <c>64 samples at 48 kHz: ...; 128: ...</c>, and numbers of buffers for
    /// one size in another.
    /// </summary>
    private static void AddSizes(
        List<AskedApplication> applications, Duration[]? lengths, long[]? samples, long rate, int count, bool isUsual, double compute)
    {
        string more = string.Create(CultureInfo.InvariantCulture, $"{count} buffers");
        for (int i = 0; i < (lengths?.Length ?? samples!.Length); i++)
        {
            var buffering = new Buffering(
                count, lengths is null ? Buffering.SamplesNs(samples![i], rate) : lengths[i].Nanoseconds, compute);
            string name = lengths is null
                ? string.Create(CultureInfo.InvariantCulture, $"{Counted.Of(samples![i], "sample")} at {rate / 1000m:0.###} kHz")
                    + (isUsual ? "" : ", " + more)
                : $"{more} of {lengths[i]}";
            string? after = i > 0
                ? lengths is null ? samples![i].ToString("N0", CultureInfo.InvariantCulture) : $"of {lengths[i]}"
                : applications.Count > 0 && (lengths?.Length ?? samples!.Length) == 1 ? more : null;
            applications.Add(new AskedApplication(name, buffering, after));
        }
    }

    private string? ReadKnown(ParseResult parse, List<AskedApplication> applications)
    {
        string[] names = [.. KnownApplication.All.Select(one => one.Name)];
        foreach (string name in Parts(parse.GetValue(_applications)))
        {
            if (KnownApplication.Of(name) is not { } known)
            {
                return $"--application: '{name}' is not one of {string.Join(", ", names)}; did you mean {NearestName.Of(name, names)}?";
            }

            AddKnown(applications, known, parse.GetValue(_compute)?.Nanoseconds ?? 0);
        }

        return ProblemOf(applications);
    }

    private static void AddKnown(List<AskedApplication> applications, KnownApplication known, double compute)
    {
        string many = Sized(known.ManyShort);
        string few = Sized(known.FewLong);
        applications.Add(new AskedApplication($"{known.Title}, {many}", known.ManyShort with { ComputeNs = compute }));
        applications.Add(new AskedApplication($"{known.Title}, {few}", known.FewLong with { ComputeNs = compute }, few));

        static string Sized(Buffering of) => $"{Counted.Of(of.Buffers, "buffer")} of {new Duration((long)of.BufferNs)}";
    }

    private static string? ProblemOf(List<AskedApplication> applications) => applications
        .Where(one => one.Buffering.Problem is not null).Select(one => $"{one.Name}: {one.Buffering.Problem}").FirstOrDefault();

    private string? ReadTasks(ParseResult parse, List<PeriodicTask> tasks)
    {
        foreach (string task in Parts(parse.GetValue(_tasks)))
        {
            string[] parts = task.Split('/');
            if (parts.Length is not (2 or 3))
            {
                return $"--tasks: '{task}' is not a task; write its period and compute time such as 10ms/2.5ms, and its buffers such as "
                    + "10ms/2.5ms/3 if they are more than two";
            }

            if (!Duration.TryParse(parts[0], out Duration period, out string? problem)
                || !Duration.TryParse(parts[1], out Duration compute, out problem))
            {
                return $"--tasks: {problem}";
            }

            int buffers = DefaultBuffers;
            if (parts.Length == 3 && !int.TryParse(parts[2], NumberStyles.None, CultureInfo.InvariantCulture, out buffers))
            {
                return $"--tasks: {task}: '{parts[2]}' is not a number of buffers";
            }

            var buffering = new Buffering(buffers, period.Nanoseconds, compute.Nanoseconds);
            if (buffering.Problem is { } wrong)
            {
                return $"--tasks: {task}: {wrong}";
            }

            if (tasks.Count == MostApplications)
            {
                return string.Create(CultureInfo.InvariantCulture, $"--tasks: at most {MostApplications} tasks are looked at together");
            }

            tasks.Add(new PeriodicTask(task, buffering));
        }

        return null;
    }

    private string? ReadPermit(ParseResult parse) => parse.GetValue(_permit) switch
    {
        null => null,
        { Nanoseconds: <= 0 } => "--permit must be longer than nothing; write 1h",
        _ => parse.GetValue(_tasks) is null ? "--permit says how often a task may drop out; write --tasks, too" : null,
    };

    private long Permitted(ParseResult parse) => parse.GetValue(_permit)?.Nanoseconds ?? new ForecastQuestion().PermittedNs;

    private static string[] Parts(string? list) =>
        (list ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
}
