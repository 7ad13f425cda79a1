using System.CommandLine;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests;

/// <summary>Wrong usage, on a command line with the shapes that the contract has: several files, durations, options of all kinds.</summary>
public class UsageTests
{
    [Theory]
    [InlineData("sample blame --treshold 500us a.etl", "unknown option '--treshold'; the nearest valid option is '--threshold'")]
    [InlineData("sample blame a.etl --treshold=500us", "unknown option '--treshold'; the nearest valid option is '--threshold'")]
    [InlineData("sample blame a.etl --thres 500us", "unknown option '--thres'; the nearest valid option is '--threshold'")]
    [InlineData("sample blame a.etl --THRESHOLD 500us", "unknown option '--THRESHOLD'; the nearest valid option is '--threshold'")]
    [InlineData("sample blame a.etl -threshold 500us", "unknown option '-threshold'; the nearest valid option is '--threshold'")]
    [InlineData("sample blame a.etl --form 1s", "unknown option '--form'; the nearest valid option is '--from'")]
    [InlineData("sample blame a.etl --threshold --form 1s", "unknown option '--form'; the nearest valid option is '--from'")]
    [InlineData("sample blame a.etl --note --odd", "unknown option '--odd'; the nearest valid option is '--note'")]
    [InlineData("sample blame a.etl -x", "unknown option '-x'; the nearest valid option is '--from'")]
    [InlineData("sample --version --qiet", "unknown option '--qiet'; the nearest valid option is '--quiet'")]
    [InlineData("sample balme a.etl", "unknown command 'balme'; the nearest valid command is 'blame'")]
    [InlineData("sample Stopp", "unknown command 'Stopp'; the nearest valid command is 'stop'")]
    [InlineData("sample", "a command is required")]
    [InlineData("sample blame", "Required argument 'TRACE' missing for command: 'blame'")]
    [InlineData("sample blame a.etl --from", "Required argument missing for option: '--from'")]
    [InlineData("sample blame a.etl --threshold 500", "--threshold: '500' has no unit; write 500us or 500ms")]
    [InlineData("sample blame a.etl --threshold 0,5ms", "--threshold: '0,5ms' has a decimal comma; write 0.5ms")]
    [InlineData("sample stop now", "unexpected argument 'now'")]
    public void Wrong_usage_runs_nothing_and_says_what_is_wrong(string line, string expected)
    {
        (int exitCode, string output, string error, string ran) = Run(line);
        Assert.Equal((ExitCode.WrongUsage, "", ""), (exitCode, output, ran));
        Assert.Equal($"sample: {expected}", error.Split('\n')[0]);
    }

    [Theory]
    [InlineData("sample blame --treshold 500us a.etl", "See 'sample blame --help'.")]
    [InlineData("sample balme", "See 'sample --help'.")]
    public void Wrong_usage_says_where_to_read_on(string line, string expected) =>
        Assert.Equal(expected, Run(line).Error.TrimEnd('\n').Split('\n')[^1]);

    [Fact]
    public void Two_misspelt_options_are_two_lines() => Assert.Equal(
        "sample: unknown option '--treshold'; the nearest valid option is '--threshold'\n"
        + "sample: unknown option '--form'; the nearest valid option is '--from'\n"
        + "See 'sample blame --help'.\n",
        Run("sample blame --treshold 1s --form 1s a.etl").Error);

    [Theory]
    [InlineData("sample blame a.etl b.etl", "a.etl b.etl 500us")]
    [InlineData("sample blame a.etl --threshold 1ms", "a.etl 1ms")]
    [InlineData("sample blame a.etl --from -2.5s", "a.etl 500us from -2.5s")]
    [InlineData("sample blame a.etl --from=-2.5s", "a.etl 500us from -2.5s")]
    [InlineData("sample blame a.etl --from -.5s", "a.etl 500us from -500ms")]
    [InlineData("sample blame a.etl --note=--odd", "a.etl 500us note --odd")]
    [InlineData("sample blame -", "- 500us")]
    [InlineData("sample blame -- --odd-name.etl", "--odd-name.etl 500us")]
    [InlineData("sample blame @today.etl", "@today.etl 500us")]
    [InlineData("sample blame a.etl --quiet", "a.etl 500us quiet")]
    public void Right_usage_runs(string line, string expected)
    {
        (int exitCode, _, string error, string ran) = Run(line);
        Assert.Equal((ExitCode.Done, "", expected), (exitCode, error, ran));
    }

    [Fact]
    public void Help_is_given_whatever_else_is_wrong()
    {
        (int exitCode, string output, string error, string ran) = Run("sample blame --treshold 500us --help");
        Assert.Equal((ExitCode.Done, "", ""), (exitCode, error, ran));
        Assert.Contains("sample blame <TRACE>...", output);
        Assert.Contains("--threshold <DURATION>", output);
        Assert.EndsWith("Example:\n  sample blame trace.etl\n", output);
    }

    [Theory]
    [InlineData("Io", "sample: the disk is gone\n")]
    [InlineData("Access", "sample: not yours\n")]
    public void A_failure_of_the_system_is_one_line(string failure, string expected)
    {
        (int exitCode, string output, string error, _) = Run("sample fail " + failure);
        Assert.Equal((ExitCode.Failed, "", expected), (exitCode, output, error));
    }

    [Fact]
    public void A_bug_of_ours_says_so_and_where()
    {
        (int exitCode, _, string error, _) = Run("sample fail Bug");
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.StartsWith("sample: internal error, please report it with this text:\nSystem.InvalidOperationException: a bug\n", error);
        Assert.Contains(nameof(UsageTests), error); // The stack.
    }

    [Fact]
    public void The_exit_status_is_the_command_s() => Assert.Equal(ExitCode.OverThreshold, Run("sample stop").ExitCode);

    [Theory]
    [InlineData("analyzer")]
    [InlineData("tracer")]
    public void Both_commands_refuse_what_they_do_not_know(string command)
    {
        string see = $"See '{command} --help'.\n";
        Assert.Equal(
            (64, "", $"{command}: unknown option '--hlep'; the nearest valid option is '--help'\n{see}"),
            BuiltCommand.Run(command, "--hlep"));
        Assert.Equal((64, "", $"{command}: a command is required\n{see}"), BuiltCommand.Run(command));
        Assert.Equal(64, BuiltCommand.Run(command, "frobnicate", "trace.etl").ExitCode);
    }

    private static (int ExitCode, string Output, string Error, string Ran) Run(string line)
    {
        string ran = "";
        Argument<string[]> traces = new("TRACE") { Arity = ArgumentArity.OneOrMore };
        Option<Duration?> threshold = DurationOption.Create("--threshold", "What is late.", Duration.FromMicroseconds(500));
        Option<Duration?> from = DurationOption.Create("--from", "Where to begin.");
        Option<string> note = new("--note");
        Option<bool> quiet = new("--quiet", "-q") { Recursive = true };
        var blame = new ExampleCommand("blame", "Names the culprit.", "sample blame trace.etl") { traces, threshold, from, note };
        blame.SetAction(parse =>
        {
            ran = string.Join(' ', parse.GetValue(traces)!) + " " + parse.GetValue(threshold)
                + (parse.GetValue(from) is Duration start ? " from " + start : "") + (parse.GetValue(quiet) ? " quiet" : "")
                + (parse.GetValue(note) is string text ? " note " + text : "");
        });

        Argument<string> how = new("HOW");
        var fail = new ExampleCommand("fail", "Fails.", "sample fail Io") { how };
        fail.SetAction(void (parse) => throw parse.GetValue(how) switch
        {
            "Io" => new IOException("the disk is gone"),
            "Access" => new UnauthorizedAccessException("not yours"),
            _ => new InvalidOperationException("a bug"),
        });

        var stop = new ExampleCommand("stop", "Stops.", "sample stop");
        stop.SetAction(_ => ExitCode.OverThreshold);

        using var output = new StringWriter();
        using var error = new StringWriter();
        string[] words = line.Split(' ');
        int exitCode = CommandProgram.Run(new RootCommand("A sample.") { blame, fail, stop, quiet }, words[0], words[1..], output, error);
        return (exitCode, output.ToString(), error.ToString(), ran);
    }
}
