using System.CommandLine;
using Tracer.Measure.Loads;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary><c>tracer measure load</c>: the process of a load, which <c>--load</c> starts. Hidden: no part of the contract.</summary>
internal static class LoadCommand
{
    public static NamedChoice<LoadKind> Kinds { get; } = NamedChoice.OfAll<LoadKind>();

    public static Command Create()
    {
        var kind = new Argument<LoadKind>("LOAD")
        {
            Description = "The load.",
            HelpName = Kinds.HelpName,
            CustomParser = Kinds.Parse,
        };
        Option<long?> seed = NumberOption.Create("--seed", "N", "Seed of the random numbers.", 0, long.MaxValue, 1);
        var command = new ExampleCommand(
            "load", "Work until standard input ends.", "tracer measure load cpu")
        {
            kind, seed,
        };
        command.Hidden = true;
        command.SetAction(parse => HelperRun.UntilInputEnds(parse.InvocationConfiguration, stop =>
        {
            TextWriter output = parse.InvocationConfiguration.Output;
            LoadWork.Run(
                parse.GetValue(kind), parse.GetValue(seed)!.Value, InFolder,
                () =>
                {
                    output.WriteLine(LoadProcess.Ready);
                    output.Flush();
                },
                stop);
        }));
        return command;
    }

    /// <summary>What a killed load leaves, the next one removes.</summary>
    internal static void InFolder(Action<string> work)
    {
        using var folder = new ScratchFolder("load");
        work(folder.Path);
    }
}
