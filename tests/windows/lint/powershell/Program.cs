using System.Management.Automation.Language;

// Parses PowerShell scripts as PowerShell does, and looks for what goes wrong unseen: no strict mode, aliases, names that are written
// differently than they are set, commands that no module of a plain pwsh has. Ends with 1 where it finds anything.
const int Failed = 1;
string[] commands =
[
    "Add-Content", "ConvertTo-Json", "ForEach-Object", "Get-ChildItem", "Get-Date", "Join-Path", "New-Item", "Out-Null", "Remove-Item",
    "Resolve-Path", "Select-Object", "Set-Content", "Set-Location", "Set-StrictMode", "Start-Process", "Start-Sleep", "Test-Path",
    "Write-Output",
];
HashSet<string> given = new(StringComparer.OrdinalIgnoreCase)
{
    "_", "args", "env", "ErrorActionPreference", "false", "null", "PSScriptRoot", "true", "using", "LASTEXITCODE",
};
int problems = 0;
foreach (string path in args)
{
    ScriptBlockAst script = Parser.ParseFile(Path.GetFullPath(path), out _, out ParseError[] errors);
    foreach (ParseError error in errors)
    {
        Tell(path, error.Extent, error.Message);
    }

    HashSet<string> functions = new(
        script.FindAll(one => one is FunctionDefinitionAst, true).Cast<FunctionDefinitionAst>().Select(one => one.Name),
        StringComparer.OrdinalIgnoreCase);
    CommandAst[] called = [.. script.FindAll(one => one is CommandAst, true).Cast<CommandAst>()];
    foreach (CommandAst command in called)
    {
        if (command.GetCommandName() is { } name && !commands.Contains(name, StringComparer.Ordinal) && !functions.Contains(name))
        {
            Tell(path, command.Extent, $"'{name}' is no command that it may use, or an alias, or written in other letters");
        }
    }

    if (!called.Any(one => one.GetCommandName() == "Set-StrictMode"))
    {
        Tell(path, script.Extent, "Set-StrictMode is missing");
    }

    HashSet<string> set = new(given, StringComparer.OrdinalIgnoreCase);
    set.UnionWith(script.FindAll(one => one is ParameterAst, true).Cast<ParameterAst>().Select(one => one.Name.VariablePath.UserPath));
    set.UnionWith(script.FindAll(one => one is ForEachStatementAst, true).Cast<ForEachStatementAst>()
        .Select(one => one.Variable.VariablePath.UserPath));
    set.UnionWith(script.FindAll(one => one is AssignmentStatementAst, true).Cast<AssignmentStatementAst>()
        .SelectMany(one => one.Left.FindAll(left => left is VariableExpressionAst, true).Cast<VariableExpressionAst>())
        .Select(one => one.VariablePath.UserPath));
    foreach (VariableExpressionAst variable in script.FindAll(one => one is VariableExpressionAst, true).Cast<VariableExpressionAst>())
    {
        string name = variable.VariablePath.UserPath;
        if (!set.Contains(name) && !name.StartsWith("env:", StringComparison.OrdinalIgnoreCase))
        {
            Tell(path, variable.Extent, $"${name} is set nowhere");
        }
    }
}

return problems == 0 ? 0 : Failed;

void Tell(string path, IScriptExtent place, string text)
{
    problems++;
    Console.WriteLine($"{path}:{place.StartLineNumber}:{place.StartColumnNumber}: {text}");
}
