using System.CommandLine;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Tracer.Capture;
using Tracer.CommandLine;
using Tracer.Contract;

namespace Tracer.TracerCommand;

/// <summary><c>tracer doctor</c>: whether a capture will work on this machine, and what can be done where it will not.</summary>
internal static class DoctorCommand
{
    private const string Schema = "tracer.doctor/1";
    private const int NameColumns = 24;
    private const string Json = "json";

    private static readonly JsonWriterOptions JsonOptions = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<bool> selfTest = new("--self-test")
        {
            Description = "Try it, too: start sessions, take a snapshot, measure wake-ups; about ten seconds. All of it is undone.",
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
            "tracer doctor --self-test")
        {
            selfTest, format,
        };
        command.SetAction(parse =>
        {
            if (!OperatingSystem.IsWindows())
            {
                parse.InvocationConfiguration.Error.WriteLine(
                    "tracer: doctor needs Windows: it looks at what a capture there will meet; 'tracer simulate' works everywhere");
                return ExitCode.Failed;
            }

            var sessions = new EtwSessions();
            DriverMachine drivers = DriverMachine.Current!;
            DoctorFacts facts = new WindowsDoctorFacts(sessions, drivers.Services).Read();
            Func<DriverClient>? openDriver = facts.Driver?.State == ServiceState.Running
                ? () => new DriverClient(drivers.OpenDevice())
                : null;
            var test = new SelfTest(
                sessions, MachineSize.Here, openDriver,
                () => WakeupTrigger.ForThisMachine(new ProbeSettings { Threshold = Duration.FromSeconds(1) }), TraceCount.Of,
                Path.GetTempPath());
            return Run(
                facts, parse.GetValue(selfTest) ? test.Run : null, parse.GetValue(format) == Json, parse.InvocationConfiguration.Output);
        });
        return command;
    }

    /// <summary>Prints the checks and runs the self-test.</summary>
    /// <param name="facts">What is known of the machine.</param>
    /// <param name="selfTest">The self-test; null where none was asked for.</param>
    /// <param name="isJson">Whether to print JSON lines.</param>
    /// <param name="output">Where to.</param>
    /// <returns>The exit status: failed if a check has.</returns>
    public static int Run(DoctorFacts facts, Action<Action<MachineCheck>>? selfTest, bool isJson, TextWriter output)
    {
        bool isFailed = false;
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

        return isFailed ? ExitCode.Failed : ExitCode.Done;

        void Tell(MachineCheck check, string kind)
        {
            isFailed |= check.Outcome == CheckOutcome.Fail;
            if (isJson)
            {
                output.WriteLine(JsonLine(check, kind));
            }
            else
            {
                Print(check, output);
            }

            output.Flush();
        }
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

    private static string JsonLine(MachineCheck check, string kind)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes, JsonOptions))
        {
            json.WriteStartObject();
            json.WriteString("schema", Schema);
            json.WriteString("type", kind);
            json.WriteString("name", check.Name);
            json.WriteString("outcome", Word(check.Outcome));
            json.WriteString("finding", check.Finding);
            json.WriteString("why", check.Why);
            json.WriteString("fix", check.Fix);
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(bytes.ToArray());
    }

    private static string Word(CheckOutcome outcome) => outcome.ToString().ToLowerInvariant();
}
