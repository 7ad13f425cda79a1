using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Parsing;
using System.Text;

namespace Tracer.CommandLine;

/// <summary>
/// Runs a command line as both commands do: reports and help on standard output, messages on standard error, an exit status of
/// <see cref="ExitCode"/>. Wrong usage never runs anything.
/// </summary>
public static class CommandProgram
{
    /// <summary>
    /// Runs the command line of this process on its console. What is printed has the same bytes on every system: UTF-8, line feeds. Who
    /// started it by a double-click is asked what it is to do, and can read what it did.
    /// </summary>
    /// <param name="commands">The commands that a command line needs.</param>
    /// <param name="menu">What it offers, made of what runs a command line, and of where messages go.</param>
    public static int RunOnConsole(
        Func<IReadOnlyList<string>, RootCommand> commands, string name, IReadOnlyList<string> arguments,
        Func<Func<string[], int>, TextWriter, StartMenu> menu)
    {
        ArgumentNullException.ThrowIfNull(commands);
        ArgumentNullException.ThrowIfNull(arguments);
        ArgumentNullException.ThrowIfNull(menu);
        Console.OutputEncoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        using IDisposable signals = Interruption.Listen();
        try
        {
            using var output = new StreamWriter(StandardStreams.OpenOutput(), new UTF8Encoding(false)) { AutoFlush = true };
            if (!OwnWindow.IsThere)
            {
                return Run(commands(arguments), name, arguments, output, Console.Error);
            }

            if (arguments.Count == 0)
            {
                menu(words => Run(commands(words), name, words, output, Console.Error), Console.Error).Show(Console.In, output);
                return ExitCode.Done;
            }

            int exit = Run(commands(arguments), name, arguments, output, Console.Error);
            StartMenu.Wait(Console.In, output);
            return exit;
        }
        finally
        {
            Terminal.Restore();
        }
    }

    /// <summary>Parses and runs a command line. What it prints is printable whatever it is about: <see cref="PrintableWriter"/>.</summary>
    /// <param name="root">The commands. Its help option is given examples, its directives are taken out.</param>
    public static int Run(RootCommand root, string name, IReadOnlyList<string> arguments, TextWriter output, TextWriter error)
    {
        ArgumentNullException.ThrowIfNull(root);
        ArgumentNullException.ThrowIfNull(error);
        ArgumentNullException.ThrowIfNull(output);
        (output, error) = (PrintableWriter.Before(output), PrintableWriter.Before(error));
        root.HelpName = name;
        // [diagram] would be taken for a command of ours; [suggest] is answered here, where files may have such names.
        root.Directives.Clear();
        if (root.Options.OfType<HelpOption>().FirstOrDefault() is { Action: HelpAction help } helpOption)
        {
            helpOption.Action = new HelpWithExamples(help);
        }

        // A file may be called @today.etl, and -ofile would hide a misspelt -offset.
        var configuration = new ParserConfiguration { EnablePosixBundling = false, ResponseFileTokenReplacer = null };
        if (Completion.TryWrite(root, name, arguments, configuration, output))
        {
            return ExitCode.Done;
        }

        arguments = root is RootWithDefault withDefault ? withDefault.Completed(arguments) : arguments;
        ParseResult parse = root.Parse(arguments, configuration);
        IReadOnlyList<string> usageErrors = UsageErrors.Find(parse, arguments);
        if (usageErrors.Count > 0)
        {
            foreach (string usageError in usageErrors)
            {
                error.WriteLine($"{name}: {usageError}");
            }

            error.WriteLine($"See '{CommandPath(parse, name)} --help'.");
            return ExitCode.WrongUsage;
        }

        return Invoke(parse, name, output, error);
    }

    private static int Invoke(ParseResult parse, string name, TextWriter output, TextWriter error)
    {
        try
        {
            return parse.Invoke(new InvocationConfiguration { Output = output, Error = error, EnableDefaultExceptionHandler = false });
        }
        catch (FileNotFoundException failure) when (failure.FileName is not null)
        {
            error.WriteLine($"{name}: {failure.FileName}: there is no such file");
            return ExitCode.Failed;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            error.WriteLine($"{name}: {failure.Message}");
            return ExitCode.Failed;
        }
#pragma warning disable CA1031 // Whatever went wrong, scripts get the documented exit status, and we the place to mend.
        catch (Exception bug)
#pragma warning restore CA1031
        {
            error.WriteLine($"{name}: internal error, please report it with this text:");
            foreach (string line in bug.ToString().Split('\n'))
            {
                error.WriteLine(line.TrimEnd('\r'));
            }

            return ExitCode.Failed;
        }
    }

    private static string CommandPath(ParseResult parse, string name)
    {
        var path = new Stack<string>();
        for (CommandResult level = parse.CommandResult; level.Parent is not null; level = (CommandResult)level.Parent)
        {
            path.Push(level.Command.Name);
        }

        return string.Join(' ', path.Prepend(name));
    }
}
