using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>
/// Chooses what a reader can do next: at most one remedy, one setting and one way to more evidence. Before the firmware is replaced, which
/// cannot be undone everywhere, comes whatever makes it surer that it is to blame, and that it is what was heard.
/// </summary>
internal static class NextSteps
{
    /// <summary>The steps for a finding, the most useful first.</summary>
    public static IReadOnlyList<NextStep> For(AdviceCase finding)
    {
        AdviceRow?[] rows =
        [
            Advice.Remedies.FirstOrDefault(row => row.Fits(finding)),
            finding.IsShort ? null : Advice.Settings.FirstOrDefault(row => row.Fits(finding)),
            Advice.Evidence.FirstOrDefault(row => row.Fits(finding)),
        ];
        if (!finding.IsShort && (finding.Names(CulpritName.HardwareOrFirmware) || finding.RunsFirmware)
            && (finding.First!.Confidence == Confidence.Possible || finding.IsBelowBuffers))
        {
            Array.Reverse(rows);
        }

        return [.. rows.OfType<AdviceRow>().Select(row => new NextStep(row.Step(finding), row.Why(finding)))];
    }
}

/// <summary>What was found, as far as the next steps depend on it.</summary>
internal sealed record AdviceCase
{
    /// <summary>A share from here on would be written as 100 %, which it need not be.</summary>
    private const double MostlyAll = 0.995;

    public required Verdict Verdict { get; init; }

    /// <summary>What is missing for a verdict; null where there is one, or episodes without an owner.</summary>
    public UnearnedKind? Unearned { get; init; }

    /// <summary>Whether all that was found is too short to be heard.</summary>
    public bool IsShort { get; init; }

    /// <summary>Whether the longest is shorter than any usual buffer of sound, however often it comes.</summary>
    public bool IsBelowBuffers => Worst?.Latency < Defaults.SmallestBuffer;

    /// <summary>The first culprit; null where nobody is named.</summary>
    public required Culprit? First { get; init; }

    /// <summary>The longest episode; null for none.</summary>
    public required Episode? Worst { get; init; }

    /// <summary>The keywords of what was not recorded.</summary>
    public required IReadOnlyList<string> Missing { get; init; }

    public required bool HasSamples { get; init; }

    public required bool HasStacks { get; init; }

    /// <summary>Whether Windows recorded glitches that were heard.</summary>
    public required bool HasAudioGlitches { get; init; }

    /// <summary>Latency at or above this is an episode.</summary>
    public required Duration Threshold { get; init; }

    /// <summary>Whether modules of Windows only passed on what the culprit's device had done, many requests in one DPC.</summary>
    public bool IsBatch { get; init; }

    /// <summary>Whether all of the culprit's DPCs ran on one CPU of several.</summary>
    public bool IsOnOneCpu { get; init; }

    /// <summary>Whether the culprit's time lies in stops of single CPUs, while others ran.</summary>
    public bool IsOfSingleCpus { get; init; }

    /// <summary>Whether the culprit is a driver, and its time lies in stops of all CPUs of several.</summary>
    public bool IsDriverOfAllCpus { get; init; }

    /// <summary>Whether the culprit ran in nobody's place: the victims waited for what it did.</summary>
    public bool IsWaitedFor { get; init; }

    /// <summary>Whether the CPU was idle for most of each episode, and no idle states were recorded.</summary>
    public bool IsFromIdle { get; init; }

    /// <summary>Whether the culprit runs methods of the firmware.</summary>
    public bool RunsFirmware => First?.RunsFirmware == true;

    /// <summary>Whether the culprit is a driver that comes with Windows.</summary>
    public bool IsFromMicrosoft => First is { Kind: CulpritKind.Driver } driver
        && (driver.Image?.Company?.Contains("Microsoft", StringComparison.OrdinalIgnoreCase)
            ?? (Frameworks.RoleOf(driver.Name) != ModuleRole.Driver || InboxDrivers.Has(driver.Name)));

    /// <summary>Whether the culprit serves all devices at a USB controller.</summary>
    public bool IsUsbHost => First is { Kind: CulpritKind.Driver } driver && InboxDrivers.IsUsbHost(driver.Name);

    public bool IsDoubtedDriver => First is { Kind: CulpritKind.Driver, Confidence: not Confidence.Certain };

    /// <summary>Whether the culprit's own runtime stopped its threads.</summary>
    public bool IsGarbageCollection => First?.Functions is [{ Name: OtherThreads.GarbageCollection }, ..];

    /// <summary>The version of the culprit's image, in brackets behind a blank; empty where it is not known.</summary>
    public string Version
    {
        get
        {
            string?[] parts =
            [
                First?.Image?.Version is { } version ? $"version {version}" : null,
                First?.Image?.Timestamp?.ToString("'built' yyyy-MM-dd", CultureInfo.InvariantCulture),
            ];
            string text = string.Join(", ", parts.Where(part => part is not null));
            return text.Length == 0 ? text : $" ({text})";
        }
    }

    /// <summary>The culprit's most expensive routine, in brackets behind a blank; empty where it is not known.</summary>
    public string Routine => First?.Functions is [{ } function, ..] ? $" ({function.Name})" : string.Empty;

    public bool Names(string name) => string.Equals(First?.Name, name, StringComparison.OrdinalIgnoreCase);

    /// <summary>Whether the culprit works behind a framework that serves the drivers of one of some classes.</summary>
    public bool IsOf(params SetupClass[] devices) =>
        First?.Through.Any(framework => Frameworks.ClientClassesOf(framework).Any(devices.Contains)) == true;

    /// <summary>What the culprit did, with its share of the late time: <c>it took 87 % of the late time</c>.</summary>
    public string Did(string what) => First is null
        ? what
        : First.Share >= MostlyAll ? $"{what} nearly all of the late time"
        : string.Create(CultureInfo.InvariantCulture, $"{what} {First.Share * 100:0} % of the late time");
}
