using System.Text;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Tests.Modules;

/// <summary>docs/generated/frameworks.md is written from the table, so that it says what the analysis does.</summary>
public class FrameworkDocumentTests
{
    private static readonly (ModuleRole Role, string Time, string Behaviour)[] Roles =
    [
        (ModuleRole.Driver, "its own", "is the owner; also of what it calls in a driver without interrupts, DPCs, threads and devices"),
        (ModuleRole.Kernel, "its caller's", "is passed over; the owner where its code is innermost and nobody else can be named"),
        (ModuleRole.Framework, "its client's", "is passed over; never the owner by a stack in which others are"),
        (ModuleRole.Layer, "its client's, else its own", "is passed over where a driver is on the stack; else the owner"),
        (ModuleRole.Library, "its caller's", "is passed over; the owner only of what the kernel alone asked for"),
        (ModuleRole.Firmware, "the firmware's", "is named as firmware where the trace shows a method at work; else itself"),
    ];

    [Fact]
    public void The_document_lists_the_table_as_it_is() => GoldenText.AssertEqual("docs/generated/frameworks.md", Document());

    [Fact]
    public void Every_part_is_described() => Assert.Equal(Enum.GetValues<ModuleRole>(), Roles.Select(role => role.Role));

    private static string Document()
    {
        var text = new StringBuilder();
        Introduction(text);
        Parts(text);
        Learned(text);
        text.Append("\n## The table\n\nWhere no class is given, a framework serves devices of any class.\n");
        foreach (KnownModuleGroup group in FrameworkTable.Groups)
        {
            Group(text, group);
        }

        Absent(text);
        return text.ToString();
    }

    private static void Introduction(StringBuilder text) => text.Append(
        """
        # Frameworks, and who stands behind them

        Written by a test from `analyzer/analysis/modules/FrameworkTable.cs`; change it there and run
        `UPDATE_GOLDEN=1 dotnet test --project tests/analysis -c Release -- --filter-class '*FrameworkDocumentTests'`.

        Much of what runs in an ISR or DPC was called by a module of Windows that stands in front of a vendor's driver: `ndis.sys`,
        `Wdf01000.sys`. Blaming that module helps nobody. So the analysis knows the modules of Windows that stand there, by name, and the
        part that each plays.

        The rule: **would a person who sees this module at work have to look for somebody else?** If it calls drivers of others by design
        (callbacks of miniports and clients, filters, completions of their requests), or works for whoever calls it, it stands in the
        table. If it does the work itself, it does not, and is guilty of its time, whoever made it: miniports, function drivers,
        minifilters, protocols. Of those in the table, a module with much work of its own is a layer and stays guilty where nobody else
        is seen.


        """.ReplaceLineEndings("\n"));

    private static void Parts(StringBuilder text)
    {
        text.Append("## Parts\n\n| part | time in it is | in a stack it |\n|---|---|---|\n");
        foreach ((ModuleRole role, string time, string behaviour) in Roles)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {NameOf(role)} | {time} | {behaviour} |\n");
        }

        text.Append(FormattableString.Invariant($"""

            Where nothing inside a framework's ISR or DPC shows its client, the owner is who its other runs show; else the driver whose
            ISR queues it; else the only loaded driver of a device of its clients' classes, as possible; else unknown. A framework whose
            own code at least {OwnerSearch.StacksOfFrameworkAlone} stacks of one run show, and nobody else's, is named itself, as possible.
            ISRs, DPCs and threads that begin in a layer or a library are its own where nobody else is seen.

            """).ReplaceLineEndings("\n"));
    }

    private static void Learned(StringBuilder text) => text.Append(FormattableString.Invariant($"""

        ## Frameworks that the table lacks

        A driver that is not in the table counts as a framework if the stacks of the trace show that it calls
        {ModuleCalls.FewestClients} other drivers or more that are not in the table either and name another company or none, and that it is
        itself the innermost on at most one stack for {ModuleCalls.CallsForOneOfItsOwn} on which it has called one
        (`analyzer/analysis/modules/ModuleCalls.cs`). So vendors' own frameworks are found, and those of a Windows that is newer than the
        table. It takes sampled stacks; without them a module that is not in the table is a driver.

        """).ReplaceLineEndings("\n"));

    private static void Group(StringBuilder text, KnownModuleGroup group)
    {
        text.Append(CultureInfo.InvariantCulture, $"\n### {group.Title}\n\n");
        foreach (string source in group.Sources)
        {
            text.Append(CultureInfo.InvariantCulture, $"- <{source}>\n");
        }

        bool hasClasses = group.Modules.Any(module => module.Clients.Length > 0);
        text.Append(hasClasses
            ? "\n| module | part | classes of its clients | what it is |\n|---|---|---|---|\n"
            : "\n| module | part | what it is |\n|---|---|---|\n");
        foreach (KnownModule module in group.Modules)
        {
            string classes = hasClasses ? string.Join(", ", module.Clients.Select(client => client.Name)) + " | " : string.Empty;
            text.Append(CultureInfo.InvariantCulture, $"| `{module.Name}` | {NameOf(module.Role)} | {classes}{module.Note} |\n");
        }
    }

    private static void Absent(StringBuilder text)
    {
        text.Append("\n## Not in the table, on purpose\n\nThey do the work themselves; some of many:\n\n");
        var line = new StringBuilder();
        foreach (string name in FrameworkTableTests.Guilty.Select(row => row.Data))
        {
            if (line.Length + name.Length > 130)
            {
                text.Append(line).Append('\n');
                line.Clear();
            }

            line.Append(line.Length > 0 ? " " : string.Empty).Append(CultureInfo.InvariantCulture, $"`{name}`");
        }

        text.Append(line).Append('\n');
    }

    private static string NameOf(ModuleRole role) => role.ToString().ToLowerInvariant();
}
