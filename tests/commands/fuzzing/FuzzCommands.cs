namespace Tracer.Commands.Tests.Fuzzing;

/// <summary>Command lines for a trace of unknown contents: every command, and the options that decide what is made of it.</summary>
internal static class FuzzCommands
{
    private static readonly string Sample = Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl");

    private static readonly string[][] Blame =
    [
        [], ["--format", "json"], ["--format", "csv"], ["--style", "xperf"], ["--style", "rtla"], ["--threshold", "50us"],
        ["--threshold", "50us", "--format", "json"], ["--probe", "thread", "--min-priority", "0", "--threshold", "100us"],
        ["--probe", "level", "--format", "json"], ["--probe", "gap"], ["--probe", "wakeup"], ["--suspect", "d1.sys"],
        ["--without", "d1.sys", "--format", "json"], ["--process", "audiodg.exe"], ["--cpu", "0-1", "--from", "1ms", "--to", "10s"],
        ["--format", "cases"], ["--format", "cases", "--with-names", "--threshold", "50us"],
    ];

    private static readonly string[][] Episodes =
        [[], ["--format", "json"], ["--threshold", "50us", "--format", "json"], ["--top", "3"], ["--threshold", "100us", "--top", "20"]];

    private static readonly string[][] Info = [[], ["--format", "json"], ["--top", "0"]];

    private static readonly string[][] Dump =
    [
        [], ["--format", "json"], ["--stacks", "records"], ["--stacks", "none", "--format", "json"], ["--limit", "20"],
        ["--provider", "kernel", "--format", "json"], ["--name", "*a*", "--from", "1ms"], ["--cpu", "0", "--pid", "4"],
    ];

    private static readonly string[][] Symbols = [[], ["--format", "json"]];

    private static readonly string[][] Slice =
    [
        ["--from", "1ms", "--to", "10s"], ["--from", "0s"], ["--to", "300ms", "--threshold", "50us"], ["--episode", "0"],
        ["--episode", "1", "--threshold", "50us"], ["--at", "1s", "--process", "audiodg.exe"],
    ];

    private static readonly string[][] Report = [[], ["--threshold", "50us"], ["--probe", "level", "--without", "nic.sys"]];

    private static readonly string[][] Latency =
    [
        [], ["--format", "json"], ["--format", "csv", "--per", "cpu+priority,process"], ["--format", "hlog"], ["--kind", "thread"],
        ["--usage", "8h/day,5d/week", "--samples", "64"], ["--buffers", "3", "--buffer", "10ms", "--compute", "2ms", "--format", "json"],
        ["--application", "audio", "--tasks", "10ms/2ms,16ms/4ms"],
    ];

    private static readonly string[][] Pack =
    [
        [], ["--episodes", "1", "--threshold", "100us"], ["--from", "0s", "--to", "2s", "--show-redactions"],
        ["--keep-names", "--at", "1s"],
    ];

    private static readonly string[][] Export =
    [
        ["--format", "perfetto"], ["--format", "perfetto", "--from", "1ms", "--to", "300ms", "--threshold", "50us"],
        ["--format", "speedscope"], ["--format", "speedscope", "--zero", "1s"],
        ["--format", "folded"], ["--format", "folded", "--culprit", "d1.sys"], ["--format", "sqlite"],
        ["--format", "firefox-profiler"],
    ];

    /// <summary>Against a whole trace, on either side.</summary>
    private static readonly string[][] Diff =
    [
        [Sample], ["--new", Sample], [Sample, "--format", "json"], ["--new", Sample, "--threshold", "50us", "--format", "json"],
    ];

    private static readonly (string Command, string[][] Options, int Weight)[] All =
    [
        ("blame", Blame, 8), ("episodes", Episodes, 4), ("info", Info, 3), ("dump", Dump, 4), ("slice", Slice, 3), ("symbols", Symbols, 1),
        ("report", Report, 2), ("latency", Latency, 3), ("pack", Pack, 2), ("export", Export, 3),
        ("diff", Diff, 2),
    ];

    /// <summary>How many commands there are.</summary>
    public static int Count => All.Length;

    /// <summary>One of them with one of its sets of options.</summary>
    public static string[] Next(Random random, string trace)
    {
        int pick = random.Next(All.Sum(one => one.Weight));
        int index = 0;
        while (pick >= All[index].Weight)
        {
            pick -= All[index++].Weight;
        }

        (string command, string[][] options, _) = All[index];
        string[] output = command is "slice" or "report" or "pack" or "export" ? ["-o", $"{trace}.{command}"] : [];
        string[] chosen = options[random.Next(options.Length)];
        return command == "diff" && chosen is ["--new", ..] ? [command, "--base", trace, .. chosen]
            : [command, trace, .. chosen, .. output];
    }
}
