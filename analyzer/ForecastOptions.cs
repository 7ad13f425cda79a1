using System.CommandLine;
using System.Globalization;
using Tracer.CommandLine;
using Tracer.Contract;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand;

/// <summary>The options of <c>analyzer latency</c> that ask for a forecast: how much the machine is used, and what runs on it.</summary>
internal sealed class ForecastOptions
{
    private const int MostRate = 1_000_000;
    private const int DefaultRate = 48_000;
    private const int DefaultBuffers = 2;

    private readonly Option<string?> _usage = new("--usage")
    {
        Description = "Forecast the worst case of an hour, a day and a week of so much use.",
        HelpName = "8h/day,5d/week",
    };

    private readonly Option<long?> _buffers = NumberOption.Create(
        "--buffers", "N", "Forecast dropouts with so many buffers [default: 2].", 2, Buffering.MostBuffers);

    private readonly Option<Duration?> _buffer = DurationOption.Create("--buffer", "How long one of the buffers lasts.");
    private readonly Option<Duration?> _compute = DurationOption.Create("--compute", "How long the application computes for one buffer.");
    private readonly Option<long?> _samples = NumberOption.Create(
        "--samples", "N", "How many samples a buffer has, in the place of --buffer.", 1, 1 << 20);

    private readonly Option<long?> _rate = NumberOption.Create("--rate", "HZ", "Samples a second [default: 48000].", 1, MostRate);

    private readonly Option<string?> _applications = new("--application")
    {
        Description = "Forecast dropouts of these, with the buffers of OSDI'99 Table 1: "
            + string.Join(", ", KnownApplication.All.Select(one => one.Name)) + ".",
        HelpName = "LIST",
    };

    private readonly Option<string?> _tasks = new("--tasks")
    {
        Description = "Whether these periodic tasks keep up together: PERIOD/COMPUTE, with commas between them.",
        HelpName = "10ms/2ms,16ms/4ms",
    };

    /// <summary>The options, in the order of the help.</summary>
    public IEnumerable<Option> All => [_usage, _buffers, _buffer, _compute, _samples, _rate, _applications, _tasks];

    /// <summary>What is asked for.</summary>
    /// <param name="parse">The command line.</param>
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
        problem ??= ReadBuffers(parse, applications) ?? ReadKnown(parse, applications) ?? ReadTasks(parse, tasks);
        question = problem is null ? new ForecastQuestion { Usage = usage!, Applications = applications, Tasks = tasks } : null;
        return problem;
    }

    private string? ReadBuffers(ParseResult parse, List<AskedApplication> applications)
    {
        Duration? buffer = parse.GetValue(_buffer);
        long? samples = parse.GetValue(_samples);
        if (buffer is not null && samples is not null)
        {
            return "--buffer and --samples both say how long a buffer is; leave one out";
        }

        if (parse.GetValue(_rate) is not null && samples is null)
        {
            return "--rate is the rate of samples; write --samples, too";
        }

        if (buffer is null && samples is null)
        {
            bool isAlone = parse.GetValue(_buffers) is not null
                || (parse.GetValue(_compute) is not null && parse.GetValue(_applications) is null);
            return isAlone ? "how long is a buffer? Write --buffer DURATION or --samples N, too" : null;
        }

        long rate = parse.GetValue(_rate) ?? DefaultRate;
        var buffering = new Buffering(
            (int)(parse.GetValue(_buffers) ?? DefaultBuffers),
            buffer is { } length ? length.Nanoseconds : Buffering.SamplesNs(samples!.Value, rate),
            parse.GetValue(_compute)?.Nanoseconds ?? 0);
        string name = buffer is { } told
            ? $"{buffering.Buffers} buffers of {told}"
            : string.Create(CultureInfo.InvariantCulture, $"{Counted.Of(samples!.Value, "sample")} at {rate / 1000m:0.###} kHz");
        applications.Add(new AskedApplication(name, buffering));
        return buffering.Problem;
    }

    private string? ReadKnown(ParseResult parse, List<AskedApplication> applications)
    {
        double compute = parse.GetValue(_compute)?.Nanoseconds ?? 0;
        foreach (string name in (parse.GetValue(_applications) ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries))
        {
            if (KnownApplication.Of(name.Trim()) is not { } known)
            {
                return $"--application: '{name}' is none of {string.Join(", ", KnownApplication.All.Select(one => one.Name))}";
            }

            foreach (Buffering of in new[] { known.ManyShort with { ComputeNs = compute }, known.FewLong with { ComputeNs = compute } })
            {
                applications.Add(new AskedApplication(
                    $"{known.Title}, {of.Buffers} buffers of {new Duration((long)of.BufferNs)}", of));
                if (of.Problem is { } problem)
                {
                    return problem;
                }
            }
        }

        return null;
    }

    private string? ReadTasks(ParseResult parse, List<PeriodicTask> tasks)
    {
        foreach (string task in (parse.GetValue(_tasks) ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries))
        {
            string[] parts = task.Trim().Split('/');
            if (parts.Length != 2)
            {
                return $"--tasks: '{task}' is no task; write its period and compute time such as 10ms/2.5ms";
            }

            if (!Duration.TryParse(parts[0], out Duration period, out string? problem)
                || !Duration.TryParse(parts[1], out Duration compute, out problem))
            {
                return $"--tasks: {problem}";
            }

            var buffering = new Buffering(DefaultBuffers, period.Nanoseconds, compute.Nanoseconds);
            if (buffering.Problem is { } wrong)
            {
                return $"--tasks: {task.Trim()}: {wrong}";
            }

            tasks.Add(new PeriodicTask(task.Trim(), buffering));
        }

        return null;
    }
}
