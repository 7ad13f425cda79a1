using System.CommandLine;
using System.CommandLine.Parsing;
using Tracer.Simulator.Background;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Scenarios;
using Tracer.Simulator.Writing;

namespace Tracer.TracerCommand.Commands.Simulate;

/// <summary><c>tracer simulate</c>: a trace of a simulated machine with a latency problem, and the truth about it.</summary>
internal static class SimulateCommand
{
    private const int NameColumn = 25;
    private const int Columns = 100;

    public static Command Create()
    {
        Argument<string?> scenario = new("SCENARIO")
        {
            Description = "What goes wrong; --list explains each.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        scenario.Validators.Add(CheckName);
        Option<bool> list = new("--list") { Description = "List the scenarios, and what an analysis should say of each." };
        Option<ulong> seed = new("--seed")
        {
            Description = "What names, addresses and times depend on: the same seed gives the same bytes.",
            HelpName = "N",
            DefaultValueFactory = _ => 1,
        };
        Option<int?> cpus = new("--cpus") { Description = "Logical processors, 1 to 128 [default: the scenario's].", HelpName = "N" };
        Option<Duration?> duration = DurationOption.Create("--duration", "How long to simulate [default: eight beats of the scenario].");
        Option<BackgroundLoad?> load = new("--load")
        {
            Description = "What else goes on [default: the seed's choice].",
            HelpName = "cpu|disk|idle|net|tty",
        };
        Option<MachineProfile?> machine = new("--machine")
        {
            Description = "The measured machine to imitate [default: the seed's choice].",
            HelpName = "laptop|desktop|idle|hyperv|game|arm64",
        };
        Option<string?> output = new("--output", "-o") { Description = "The trace [default: SCENARIO.etl].", HelpName = "FILE.etl" };
        Option<bool> noSecondRun = new("--no-second-run")
        {
            Description = "Leave out of the truth what would be left without each large culprit: that takes further simulations.",
        };
        var command = new ExampleCommand(
            "simulate",
            "Write a trace of a simulated machine with a latency problem, and the truth about it beside it (FILE.truth.json).",
            "tracer simulate --list",
            "tracer simulate nic-autosense",
            "tracer simulate kmdf-client --seed 7 --cpus 4 --duration 5s -o kmdf.etl")
        {
            scenario, list, seed, cpus, duration, load, machine, noSecondRun, output,
        };
        command.Validators.Add(result => Check(result, result.GetValue(scenario), result.GetValue(list), cpus, duration));
        command.Validators.Add(result => CheckMachine(result, result.GetValue(scenario), machine));
        command.SetAction(parse =>
        {
            TextWriter text = parse.InvocationConfiguration.Output;
            if (parse.GetValue(list))
            {
                List(text);
                return ExitCode.Done;
            }

            Scenario chosen = ScenarioCatalog.Find(parse.GetValue(scenario)!)!;
            var run = new ScenarioRun(chosen, parse.GetValue(seed))
            {
                Cpus = parse.GetValue(cpus) ?? Math.Max(chosen.Cpus, chosen.LeastCpus),
                Duration = parse.GetValue(duration) ?? chosen.Duration,
                Load = parse.GetValue(load),
                Profile = parse.GetValue(machine) ?? chosen.Machine,
                WithSecondRun = !parse.GetValue(noSecondRun),
            };
            return Run(run, parse.GetValue(output) ?? chosen.Name + ".etl", text, parse.InvocationConfiguration.Error);
        });
        return command;
    }

    private static int Run(ScenarioRun run, string path, TextWriter output, TextWriter error)
    {
        if (OutputFile.Problem("--output", path, []) is { } problem)
        {
            error.WriteLine($"tracer: {problem}");
            return ExitCode.WrongUsage;
        }

        using var trace = new OutputFile(path, mustSeek: true);
        // Beside standard output, a device or a pipe there is no place for the truth.
        using OutputFile? beside = trace.IsFile ? new OutputFile(TruthFile.PathFor(path)) : null;
        if (trace.IsFile && SimulatedBytes.Problem(run, path) is { } tooLarge)
        {
            error.WriteLine($"tracer: {tooLarge}");
            return ExitCode.Failed;
        }

        TruthReport truth = run.WriteTo(trace.Content);
        if (beside is not null)
        {
            ReportJson.Write(beside.Content, truth, indented: true);
            beside.Content.WriteByte((byte)'\n');
            beside.Keep();
        }

        trace.Keep();
        output = trace.IsStandardOutput ? error : output;
        string culprit = truth.Culprit is null
            ? "nobody to blame"
            : $"{KebabCase.Of(truth.Verdict)} {truth.Culprit} ({KebabCase.Of(truth.Mechanism.GetValueOrDefault())})";
        output.WriteLine(
            $"{path}: {truth.Duration} on {truth.Cpus} {(truth.Cpus == 1 ? "CPU" : "CPUs")}, {truth.Episodes.Count} episodes; {culprit}");
        output.WriteLine(beside is null
            ? "the truth about it is not written: that goes only beside a file"
            : $"{beside.Path}: the truth about it");
        return ExitCode.Done;
    }

    private static void List(TextWriter output)
    {
        string indent = new(' ', NameColumn);
        foreach (Scenario scenario in ScenarioCatalog.All)
        {
            string name = scenario.Name.PadRight(NameColumn);
            foreach (string line in Wrap(scenario.Explanation, Columns - NameColumn))
            {
                output.WriteLine(name + line);
                name = indent;
            }

            string answer = scenario.CulpritName is null
                ? KebabCase.Of(scenario.Verdict)
                : $"{KebabCase.Of(scenario.Verdict)}, {scenario.CulpritName}, {KebabCase.Of(scenario.Mechanism.GetValueOrDefault())}";
            output.WriteLine($"{indent}verdict {answer}; {scenario.Duration} on {scenario.Cpus}");
        }
    }

    private static IEnumerable<string> Wrap(string text, int columns)
    {
        string line = "";
        foreach (string word in text.Split(' '))
        {
            if (line.Length + 1 + word.Length > columns)
            {
                yield return line;
                line = "";
            }

            line += line.Length == 0 ? word : " " + word;
        }

        yield return line;
    }

    private static void CheckName(ArgumentResult result)
    {
        if (result.Tokens is [Token name] && ScenarioCatalog.Find(name.Value) is null)
        {
            string? nearest = NearestName.Of(name.Value, ScenarioCatalog.All.Select(scenario => scenario.Name));
            result.AddError($"unknown scenario '{name.Value}'; the nearest is '{nearest}', and --list explains all");
        }
    }

    /// <summary>A scenario that needs a Windows which the machine does not have can't be simulated on it.</summary>
    private static void CheckMachine(CommandResult result, string? name, Option<MachineProfile?> machine)
    {
        if (ScenarioCatalog.Find(name ?? "") is { } scenario && result.GetResult(machine) is { } given && !given.Errors.Any()
            && given.GetValueOrDefault<MachineProfile?>() is { } profile && !scenario.RunsOn(profile))
        {
            result.AddError($"--machine: {scenario.Name} needs another machine or Windows than '{given.Tokens[0].Value}' has");
        }
    }

    private static void Check(CommandResult result, string? name, bool isList, Option<int?> cpus, Option<Duration?> duration)
    {
        if (name is null)
        {
            if (!isList)
            {
                result.AddError("a scenario is required; --list explains all");
            }

            return;
        }

        int least = ScenarioCatalog.Find(name)?.LeastCpus ?? 1;
        // What is no number or duration at all has its own message: asking for the value would throw.
        if (int.TryParse(Written(cpus), CultureInfo.InvariantCulture, out int count) && (count < least || count > ProcessorGroups.MostCpus))
        {
            result.AddError(string.Create(
                CultureInfo.InvariantCulture, $"--cpus: {name} runs on {least} to {ProcessorGroups.MostCpus} CPUs"));
        }

        if (Duration.TryParse(Written(duration), out Duration length, out _) && length <= Duration.Zero)
        {
            result.AddError("--duration: a time above 0 is expected");
        }

        string? Written(Option option) => result.GetResult(option)?.Tokens is [Token token] ? token.Value : null;
    }
}
