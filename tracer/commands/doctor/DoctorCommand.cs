using System.CommandLine;
using System.Runtime.Versioning;
using Tracer.Capture.Doctor;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Probe;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;
using Tracer.TracerCommand.Common;

namespace Tracer.TracerCommand.Commands.Doctor;

/// <summary><c>tracer doctor</c>: whether a capture will work on this machine, and what can be done where it will not.</summary>
internal static class DoctorCommand
{
    private const int NameColumns = 24;
    private const string Json = "json";

    public static Command Create()
    {
        Option<bool> selfTest = new("--self-test")
        {
            Description = "Try it, too: start sessions, take a snapshot, measure wake-ups, provoke a delay, capture and blame it, and "
                + "compare what Windows' own reader finds in the file; half a minute. All of it is undone.",
        };
        Option<string?> bundle = new("--bundle")
        {
            Description = "Keep what the self-test proved: its trace and report, facts of the machine, the counts of both readers.",
            HelpName = "FILE.zip",
        };
        Option<string?> driver = new("--driver")
        {
            Description = "The driver that the self-test installs, loads, runs for ten seconds, unloads and removes, where none is "
                + "installed.",
            HelpName = "FILE.sys",
        };
        Option<string> format = new("--format")
        {
            Description = "How to print: text, or json with one object a line.",
            HelpName = "text|json",
            DefaultValueFactory = _ => "text",
        };
        format.AcceptOnlyFromAmong("text", Json);
        var command = new ExampleCommand(
            "doctor",
            "Check whether 'tracer capture' will work on this machine, and say what to do where it will not.",
            "tracer doctor",
            "tracer doctor --self-test",
            "tracer doctor --self-test --bundle proof.zip")
        {
            selfTest, bundle, driver, format,
        };
        command.SetAction(parse =>
        {
            if (Problem(parse.GetValue(bundle), parse.GetValue(driver), parse.GetValue(selfTest)) is { } problem)
            {
                parse.InvocationConfiguration.Error.WriteLine($"tracer: {problem}");
                parse.InvocationConfiguration.Error.WriteLine("See 'tracer doctor --help'.");
                return ExitCode.WrongUsage;
            }

            if (!OperatingSystem.IsWindows())
            {
                parse.InvocationConfiguration.Error.WriteLine(
                    "tracer: doctor needs Windows: it looks at what a capture there will meet; 'tracer simulate' works everywhere");
                return ExitCode.Failed;
            }

            return OnThisMachine(
                parse.GetValue(selfTest), parse.GetValue(bundle), parse.GetValue(driver), parse.GetValue(format) == Json,
                parse.InvocationConfiguration.Output, parse.InvocationConfiguration.Error);
        });
        return command;
    }

    /// <summary>What is wrong with the options, each of which is right by itself; null when nothing is.</summary>
    /// <param name="bundle">The file to write; null for none.</param>
    /// <param name="driver">The driver to try; null for none.</param>
    internal static string? Problem(string? bundle, string? driver, bool isSelfTest)
    {
        if (driver is not null && !isSelfTest)
        {
            return "--driver names what the self-test tries: add --self-test";
        }

        if (bundle is null)
        {
            return null;
        }

        if (!isSelfTest)
        {
            return "--bundle keeps what the self-test proved: add --self-test";
        }

        if (string.IsNullOrWhiteSpace(bundle) || Path.GetFileName(bundle).Length == 0)
        {
            return "--bundle: the name of a file is expected, such as proof.zip";
        }

        string folder = Path.GetDirectoryName(Path.GetFullPath(bundle)) ?? "";
        return Directory.Exists(folder) ? null : $"--bundle: there is no folder {folder}";
    }

    /// <summary>Prints the checks and runs the self-test.</summary>
    /// <param name="selfTest">The self-test; null where none was asked for.</param>
    /// <param name="keep">Takes all lines at the end; null where nothing is kept.</param>
    /// <returns>The exit status: failed if a check has.</returns>
    public static int Run(
        DoctorFacts facts,
        Action<Action<MachineCheck>>? selfTest,
        bool isJson,
        TextWriter output,
        Action<IReadOnlyList<ProofLine>>? keep = null)
    {
        bool isFailed = false;
        List<ProofLine> lines = [];
        foreach (MachineCheck check in MachineChecks.Of(facts))
        {
            Tell(check, "check");
        }

        if (selfTest is not null)
        {
            if (!isJson)
            {
                output.WriteLine();
                output.WriteLine("self-test");
            }

            selfTest(check => Tell(check, "test"));
        }

        if (!isJson)
        {
            output.WriteLine();
            output.WriteLine(isFailed ? "A capture will not work as it stands." : "A capture will work.");
        }

        keep?.Invoke(lines);
        return isFailed ? ExitCode.Failed : ExitCode.Done;

        void Tell(MachineCheck check, string kind)
        {
            isFailed |= check.Outcome == CheckOutcome.Fail;
            var line = new ProofLine(kind, check.Name, Word(check.Outcome), check.Finding, check.Why, check.Fix);
            lines.Add(line);
            if (isJson)
            {
                output.WriteLine(ReportJson.Line(new DoctorLine(line)));
            }
            else
            {
                Print(check, output);
            }

            output.Flush();
        }
    }

    [SupportedOSPlatform("windows")]
    private static int OnThisMachine(bool isSelfTest, string? bundle, string? driver, bool isJson, TextWriter output, TextWriter error)
    {
        var sessions = new EtwSessions();
        DriverMachine drivers = DriverMachine.Current!;
        DoctorFacts facts = new WindowsDoctorFacts(sessions, drivers.Services).Read();
        if (!isSelfTest)
        {
            return Run(facts, null, isJson, output);
        }

        try
        {
            using var folder = new ScratchFolder("proof");
            var ours = new DriverProof(drivers, sessions, MachineSize.Here, TraceCount.Of, folder.Path) { File = driver };
            var test = new SelfTest(
                sessions, MachineSize.Here, ours,
                () => WakeupTrigger.ForThisMachine(new ProbeSettings { Threshold = Duration.FromSeconds(1) }), TraceCount.Of, folder.Path);
            var proof = new ProofRun(ProofOfThisMachine(sessions, folder.Path));
            ProofFindings? findings = null;
            return Run(
                facts,
                told =>
                {
                    test.Run(told);
                    findings = proof.Run(told);
                },
                isJson,
                output,
                lines =>
                {
                    if (bundle is not null)
                    {
                        ProofBundle.Write(bundle, ProofBundle.Report(facts, lines, findings!, DateTime.UtcNow), findings!);
                    }
                });
        }
        catch (IOException fault)
        {
            error.WriteLine($"tracer: {fault.Message}");
            return ExitCode.Failed;
        }
    }

    [SupportedOSPlatform("windows")]
    private static ProofSetup ProofOfThisMachine(EtwSessions sessions, string folder)
    {
        var setup = new ProofSetup
        {
            Machine = ThisMachine.Of(sessions),
            Triggers = static options => [WakeupTrigger.ForThisMachine(new ProbeSettings { Threshold = options.Threshold })],
            Delay = new WindowsDelayMaker(),
            Own = new OwnTally(),
            System = new WindowsTally(),
            Blame = static _ => null,
            Folder = folder,
        };
        return setup with { Blame = new CaptureBlame(setup.Threshold).AtTheEnd };
    }

    private static void Print(MachineCheck check, TextWriter output)
    {
        output.WriteLine($"{Word(check.Outcome),-9}{check.Name.PadRight(NameColumns)}{check.Finding}");
        string indent = new(' ', 9 + NameColumns);
        if (check.Why is { } why)
        {
            output.WriteLine($"{indent}{why}");
        }

        if (check.Fix is { } fix)
        {
            output.WriteLine($"{indent}-> {fix}");
        }
    }

    private static string Word(CheckOutcome outcome) => outcome.ToString().ToLowerInvariant();
}
