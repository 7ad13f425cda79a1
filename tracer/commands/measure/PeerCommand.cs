using System.CommandLine;
using System.CommandLine.Parsing;
using System.Net;
using System.Text;
using Tracer.Measure.Ground;
using Tracer.Measure.Processes;
using Tracer.TracerCommand.Common;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>
/// <c>tracer measure peer</c>: the process that answers <c>udp</c>, <c>operator</c> and <c>io-interference</c>. They start one themselves,
/// unless they are told of one on another machine.
/// </summary>
internal static class PeerCommand
{
    /// <param name="machine">Gives the machine; null where there is none.</param>
    public static Command Create(Func<IMeasureMachine>? machine)
    {
        var priorities = NamedChoice.OfAll<MeasurePriority>();
        Option<MeasurePriority> priority = priorities.Option("--priority", "Class of the answering thread [default: real-time].");
        Option<long?> cpu = NumberOption.Create("--cpu", "N", "Bind the answering thread to a CPU [default: any].", 0, 1_023);
        Option<IPEndPoint?> listen = new("--listen")
        {
            Description = "Answer whoever reaches this address, until Ctrl+C [default: this machine only, until standard input ends].",
            HelpName = "ADDRESS:PORT",
            CustomParser = ParseEndPoint,
        };
        var command = new ExampleCommand(
            "peer",
            "Answer packets of 'tracer measure udp', 'operator' and 'io-interference' with --peer on another machine. Answers are not "
            + "longer than requests, but for 16 bytes; nothing is kept and nothing is told.",
            "tracer measure peer --listen 192.168.1.20:7007")
        {
            priority, cpu, listen,
        };
        command.SetAction(parse =>
        {
            InvocationConfiguration console = parse.InvocationConfiguration;
            if (machine is null)
            {
                console.Error.WriteLine("tracer: 'measure' knows Windows and Linux, and this is neither");
                return ExitCode.Failed;
            }

            void Answer(CancellationToken stop)
            {
                using IMeasureMachine here = machine();
                IReadOnlyList<MeasureSetting> settings = PeerWork.Run(
                    here, parse.GetValue(listen) ?? new IPEndPoint(IPAddress.Loopback, 0), parse.GetValue(priority),
                    (int?)parse.GetValue(cpu),
                    bound =>
                    {
                        console.Output.WriteLine(PeerWork.Ready + bound);
                        console.Output.Flush();
                    },
                    stop);
                foreach (MeasureSetting setting in settings)
                {
                    using var bytes = new MemoryStream();
                    ReportJson.Write(bytes, setting);
                    console.Output.WriteLine(Encoding.UTF8.GetString(bytes.ToArray()));
                }
            }

            if (parse.GetValue(listen) is null)
            {
                return HelperRun.UntilInputEnds(console, Answer);
            }

            using var signals = new CaptureSignals();
            using var end = CancellationTokenSource.CreateLinkedTokenSource(signals.Finish, signals.Abandon);
            return HelperRun.Run(console, Answer, end.Token);
        });
        return command;
    }

    private static IPEndPoint? ParseEndPoint(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        int colon = text.LastIndexOf(':');
        if (colon > 0 && int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int port)
            && port is > 0 and <= ushort.MaxValue && IPAddress.TryParse(text[..colon], out IPAddress? address))
        {
            return new IPEndPoint(address, port);
        }

        result.AddError($"--listen: '{text}' is not an address with a port, such as 192.168.1.20:7007 or [::1]:7007");
        return null;
    }
}
