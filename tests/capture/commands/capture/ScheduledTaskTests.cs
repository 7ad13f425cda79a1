using System.CommandLine;
using System.CommandLine.Parsing;
using System.Xml.Linq;
using System.Xml.Schema;
using Tracer.Capture.Engine;
using Tracer.TracerCommand.Commands.Capture;

namespace Tracer.Capture.Tests;

/// <summary>samples/tracer-task.xml is a task as Windows takes it, and what it starts is a capture that ends and stays small.</summary>
public sealed class ScheduledTaskTests
{
    private static readonly XNamespace Task = "http://schemas.microsoft.com/windows/2004/02/mit/task";

    [Fact]
    public void ItIsATaskByTheSchema() => Assert.Empty(Faults(Sample()));

    [Fact]
    public void TheSchemaFindsFaults()
    {
        XDocument unknown = Sample();
        unknown.Root!.Element(Task + "Settings")!.Add(new XElement(Task + "RunForever", true));
        Assert.NotEmpty(Faults(unknown));
        XDocument dangling = Sample();
        dangling.Root!.Element(Task + "Actions")!.SetAttributeValue("Context", "Nobody");
        Assert.NotEmpty(Faults(dangling));
        XDocument soon = Sample();
        soon.Descendants(Task + "Interval").Single().Value = "PT10S";
        Assert.NotEmpty(Faults(soon));
    }

    [Fact]
    public void WhatItStartsIsACaptureThatEndsAndStaysSmall()
    {
        XElement exec = Sample().Descendants(Task + "Exec").Single();
        string[] arguments = [.. CommandLineParser.SplitCommandLine(exec.Element(Task + "Arguments")!.Value)];
        Assert.Equal("capture", arguments[0]);
        var values = new CaptureCommandOptions(new CaptureOptions { Threshold = Defaults.Threshold, OutputPath = "" });
        var command = new Command("capture");
        foreach (Option option in values.All)
        {
            command.Add(option);
        }

        ParseResult parse = command.Parse(arguments[1..]);
        Assert.Empty(parse.Errors);
        CaptureOptions options = values.Read(parse, static () => "");
        Assert.NotNull(options.Duration);
        Assert.NotNull(options.KeepWorst);
        Assert.Equal(@"C:\ProgramData\Tracer\task.etl", options.OutputPath);
        Assert.Equal("\"C:\\Program Files\\Tracer\\tracer.exe\"", exec.Element(Task + "Command")!.Value);
    }

    private static XDocument Sample() => XDocument.Load(Path.Combine(RepositoryFiles.Root, "samples", "tracer-task.xml"));

    private static List<string> Faults(XDocument document)
    {
        var schemas = new XmlSchemaSet();
        schemas.Add(null, Path.Combine(RepositoryFiles.Root, "tests", "capture", "commands", "capture", "task.xsd"));
        List<string> faults = [];
        document.Validate(schemas, (_, fault) => faults.Add(fault.Message));
        return faults;
    }
}
