using System.CommandLine;
using Tracer.AnalyzerCommand.Common.Objects;

namespace Tracer.AnalyzerCommand.Commands.Blame.Cases;

/// <summary>The options of <c>analyzer blame --format cases</c>, which judges many traces.</summary>
internal sealed class CaseOptions
{
    /// <summary>More at once only fill the memory.</summary>
    private const int MostJobs = 1024;

    private const int LeastMemoryMb = 64;

    private const int MostKeyBytes = 1 << 20;

    private readonly Option<bool> _recurse = new("--recurse")
    {
        Description = "With --format cases or --summary: also take the traces in folders below the given ones.",
    };

    private readonly Option<long?> _jobs = NumberOption.Create(
        "--jobs", "N", "With --format cases: how many traces are read at once, at most [default: one for each processor].", 1, MostJobs);

    private readonly Option<long?> _memory = NumberOption.Create(
        "--memory",
        "MIB",
        "With --format cases: how much memory all of them take, at most [default: half of the machine's].",
        LeastMemoryMb,
        int.MaxValue);

    private readonly Option<bool> _resume = new("--resume")
    {
        Description = "With --format cases and -o: go on where an earlier run ended, however it ended.",
    };

    private readonly Option<bool> _names = new("--with-names")
    {
        Description = "With --format cases: write names of computers, files and programs as they are, not pseudonyms.",
    };

    private readonly Option<string?> _key = new("--key")
    {
        Description = "With --format cases: a file with a secret that the pseudonyms follow from; without it, anyone who guesses a name "
            + "can check it.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _machine = new("--machine")
    {
        Description = "With --format cases: what the machine of these traces is called, where they do not tell.",
        HelpName = "NAME",
    };

    private readonly Option<bool> _follow = new(ObjectStore.FollowOption)
    {
        Description = "With --format cases: where an address redirects to another host, go there too, with the key that the "
            + "address may hold.",
    };

    /// <summary>The options, in the order of the help.</summary>
    public IEnumerable<Option> All => [_recurse, _jobs, _memory, _resume, _names, _key, _machine, _follow];

    /// <summary>Whether folders below the given ones count.</summary>
    public bool Recurses(ParseResult parse) => parse.GetValue(_recurse);

    /// <summary>How many traces are read at once.</summary>
    public int Jobs(ParseResult parse) => (int)(parse.GetValue(_jobs) ?? Environment.ProcessorCount);

    /// <summary>Most memory, in bytes.</summary>
    public long Memory(ParseResult parse) => parse.GetValue(_memory) is { } mb
        ? mb << 20
        : Math.Max((long)LeastMemoryMb << 20, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 2);

    /// <summary>Whether an earlier run is continued.</summary>
    public bool Resumes(ParseResult parse) => parse.GetValue(_resume);

    /// <summary>Whether redirects to other hosts are followed.</summary>
    public bool Follows(ParseResult parse) => parse.GetValue(_follow);

    /// <summary>What the machine is called; null for what the trace says.</summary>
    public string? Machine(ParseResult parse) => parse.GetValue(_machine);

    /// <exception cref="IOException">The secret cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public CaseNames Names(ParseResult parse)
    {
        byte[] key = parse.GetValue(_key) is { } file ? KeyIn(file) : [];
        return parse.GetValue(_key) is { } empty && key.Length == 0
            ? throw new IOException($"--key: {empty} is empty; write a secret into it")
            : new CaseNames(parse.GetValue(_names), key);
    }

    private static byte[] KeyIn(string path)
    {
        using FileStream file = File.OpenRead(path);
        byte[] key = new byte[MostKeyBytes + 1];
        int read = file.ReadAtLeast(key, key.Length, throwOnEndOfStream: false);
        return read <= MostKeyBytes ? key[..read]
            : throw new IOException($"--key: {path} has more than {MostKeyBytes:N0} bytes, too many for a secret");
    }

    /// <summary>What is wrong with them; null when nothing is.</summary>
    public string? Problem(ParseResult parse) =>
        string.IsNullOrWhiteSpace(parse.GetValue(_machine) ?? "name") ? "--machine: a name is expected"
        : parse.GetValue(_key) is not null && parse.GetValue(_names)
            ? "--key makes pseudonyms, and --with-names asks for none: leave out one"
        : parse.GetValue(_key) is { } key && !File.Exists(key) ? $"--key: there is no file {key}"
        : null;

    /// <summary>What is wrong where another format is asked for.</summary>
    /// <param name="isSummary">Whether it is a line for each trace.</param>
    public string? ProblemElsewhere(ParseResult parse, bool isSummary) =>
        All.FirstOrDefault(option => !(isSummary && option == _recurse) && parse.GetResult(option) is { Implicit: false }) is { } one
            ? $"{one.Name} is for --format cases{(one == _recurse ? " and --summary" : "")}"
            : null;
}
