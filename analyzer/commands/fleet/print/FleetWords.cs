using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Print;

/// <summary>How the report of a fleet calls things.</summary>
internal static class FleetWords
{
    /// <summary>Whose it is, with the letters that cases write it with where one of its routines has them.</summary>
    public static string OwnerOf(FleetCluster cluster) => cluster.Owner is not { } owner
        ? cluster.Mechanism == Mechanism.Unexplained ? "nobody that the traces name" : "an unknown owner"
        : cluster.Routines.Select(one => one.Name).Prepend(cluster.Routine).FirstOrDefault(
            name => name?.StartsWith(owner, StringComparison.OrdinalIgnoreCase) == true)?[..owner.Length] ?? owner;

    /// <summary>Whose it is, with his device where cases tell: <c>nic.sys (Gigabit Ethernet Controller)</c>.</summary>
    public static string NameOf(FleetCluster cluster) => OwnerOf(cluster) + (cluster.Device is { } device ? $" ({device})" : "");

    /// <summary>Why a case was not judged.</summary>
    public static string WhyOf(FleetUnjudged one) => one.Problem switch
    {
        null => "its trace lacks what is needed to tell",
        "unreadable" => "could not be read",
        { } kind => $"could not be read ({kind})",
    };

    /// <summary>How it came about: <c>dpc: its DPC ran ..., in nic.sys!Receive</c>.</summary>
    public static string HowOf(FleetCluster cluster) => $"{KebabCase.Of(cluster.Mechanism)}: {ReportWords.MeaningOf(cluster.Mechanism)}"
        + (cluster.Routine is { } routine ? $", in {routine}" : "");

    /// <summary>How many machines have it.</summary>
    public static string MachinesOf(FleetCluster cluster, FleetSummary summary) =>
        $"{cluster.Machines:N0} of {summary.Machines:N0} machines ({ReportWords.Percent(cluster.MachineShare)}), "
        + $"{Counted.Of(cluster.Cases, "case")}, {Counted.Of(cluster.Episodes, "episode")}";

    public static string TimeOf(FleetCluster cluster) =>
        $"{ReadableDuration.Of(cluster.Time)}, {ReportWords.Percent(cluster.TimeShare)} of all, worst {ReadableDuration.Of(cluster.Worst)}"
        + (cluster.BeatSeconds is { } beat ? $", about every {RoundedNumber.Of(beat)} s" : "");

    /// <summary>When it was seen; null where no case tells.</summary>
    public static string? SeenOf(FleetCluster cluster) => cluster is { FirstUtc: { } first, LastUtc: { } last }
        ? first.Date == last.Date ? $"on {Day(first)}" : $"{Day(first)} to {Day(last)}"
        : null;

    /// <summary>At which times it comes; null where it keeps none.</summary>
    public static string? PlanOf(FleetCluster cluster) => cluster.ClockTimes is not { } times ? null
        : string.Join(" and ", times.AtMinutes.Select(
            minute => times.Each == "hour" ? $":{minute:00}" : $"{minute / 60:00}:{minute % 60:00}"))
            + (times.Each == "hour" ? " of the hour, " : " UTC, ")
            + $"{times.Kept:N0} of {Counted.Of(times.Occasions, "time")}"
            + (times.Others > 0
                ? $"; of other cases {times.OthersKept:N0} of {times.Others:N0} are from then: look for what is planned at these times"
                : ": look for what is planned at these times (a planned recording would look the same)");

    /// <summary>What is shared: <c>driver nic.sys 5.2</c>.</summary>
    public static string SharedOf(FleetContrast contrast) =>
        contrast.Value is { } value ? $"{contrast.Trait} {value}" : $"{contrast.Trait}, whichever version";

    /// <summary>How much more: <c>38 of 40 machines, 2 of 160 others</c>.</summary>
    public static string NumbersOf(FleetContrast contrast) =>
        $"{contrast.Affected:N0} of {contrast.Machines:N0} machines with it are affected, {contrast.OtherAffected:N0} of "
        + $"{contrast.OtherMachines:N0} others";

    /// <summary>How many times as often, with its interval.</summary>
    public static string RatioOf(double? ratio, double? low, double? high) =>
        ratio is not { } known ? $"from none{(low is > 0 ? $", at least x {RoundedNumber.Of(low.Value)}" : "")}"
        : $"x {RoundedNumber.Of(known)}" + (low is not { } least ? "" : high is { } most
            ? $" ({RoundedNumber.Of(least)} to {RoundedNumber.Of(most)})"
            : $" (at least {RoundedNumber.Of(least)})");

    /// <summary>A chance: <c>chance below 0.0001</c>.</summary>
    public static string ChanceOf(double chance) => chance < 0.0001
        ? "chance below 0.0001"
        : string.Create(CultureInfo.InvariantCulture, $"chance {chance:0.####}");

    public static string ChangeOf(FleetChange change)
    {
        string cases = $"{Counted.Of(change.CasesBefore, "case")} before, {change.CasesSince:N0} since";
        return change.State switch
        {
            "new" => $"new: none before, {Counted.Of(change.CasesSince, "case")} since",
            "cant-tell" => $"{cases}; too few machines were seen before and since to tell whether it changed",
            _ => $"{(change.State == "not-shown" ? "no change shown" : change.State)}: {cases}; "
                + (change is { OthersBefore: { } before, OthersSince: { } since }
                    ? $"on other machines ({before:N0} before, {since:N0} since) whose cases have it "
                    : "a machine's cases have it ")
                + $"{RatioOf(change.Ratio, change.Low, change.High)} as often, {ChanceOf(change.Chance ?? 1)}",
        };
    }

    /// <summary>Where a case is: its trace, or its id.</summary>
    public static string PlaceOf(FleetCase one) =>
        $"{(one.Trace is { } trace ? $"{trace} (case {one.Id})" : $"case {one.Id}")}{(one.Machine is { } name ? $" of {name}" : "")}";

    public static string Day(DateTime utc) => utc.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);

    public static string CasesOf(FleetSummary summary) =>
        $"{summary.Judged:N0} of {Counted.Of(summary.Cases, "case")} judged, of {Counted.Of(summary.Machines, "machine")}"
        + (summary is { FromUtc: { } from, ToUtc: { } to } ? $", {Day(from)} to {Day(to)}" : "");

    public static string EpisodesOf(FleetSummary summary) =>
        $"{Counted.Of(summary.Episodes, "episode")} of {summary.Threshold} or more, {ReadableDuration.Of(summary.OverThreshold)} in all, "
        + $"of threads of priority {summary.MinPriority} and above"
        + (summary.DeadlinesMissed > 0 ? $"; {Counted.Of(summary.DeadlinesMissed, "deadline")} missed" : "")
        + (summary.Glitches > 0 ? $"; Windows recorded {Counted.Of(summary.Glitches, "glitch")}" : "");

    public static string NoteOf(FleetReport report) => $"No trace records: {string.Join(", ", report.NotRecorded)}. Ratios have 95 % "
        + "intervals, each machine counts once; chance is corrected for all that was compared (Holm).";

    public static string Conclusion(FleetReport report) => report.Clusters.Count > 0
        ? $"{NameOf(report.Clusters[0])} comes first of {Counted.Of(report.Summary.Clusters, "cause")}: "
            + $"{KebabCase.Of(report.Clusters[0].Mechanism)} on {report.Clusters[0].Machines:N0} of {report.Summary.Machines:N0} machines, "
            + $"{ReportWords.Percent(report.Clusters[0].TimeShare)} of all late time."
        : report.Summary.Judged > 0
            ? report.Summary.Judged == report.Summary.Cases
                ? "Nothing was late in any case."
                : $"Nothing was late in the {Counted.Of(report.Summary.Judged, "case")} that could be judged, of {report.Summary.Cases:N0}."
            : "No case could be judged.";
}
