namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>What a person derived from the meaning of a scenario.</summary>
internal sealed record ScenarioExpectation
{
    public Verdict? Verdict { get; init; }

    public IReadOnlyList<ExpectedCulprit> Culprits { get; init; } = [];

    /// <summary>Those of the second ranking.</summary>
    public IReadOnlyList<ExpectedCulprit> Secondary { get; init; } = [];

    public IReadOnlyList<ExpectedEpisode> Episodes { get; init; } = [];

    public IReadOnlyList<string> Cleared { get; init; } = [];

    /// <summary>Parts of sentences that warnings hold.</summary>
    public IReadOnlyList<string> Warnings { get; init; } = [];

    /// <summary>Parts of sentences that the evidence holds.</summary>
    public IReadOnlyList<string> Told { get; init; } = [];

    /// <summary>Parts of sentences that neither the evidence nor a warning holds.</summary>
    public IReadOnlyList<string> Untold { get; init; } = [];

    /// <summary>Parts of the conclusion.</summary>
    public IReadOnlyList<string> Said { get; init; } = [];

    /// <summary>What the conclusion does not hold.</summary>
    public IReadOnlyList<string> Unsaid { get; init; } = [];

    public IReadOnlyList<string> Drivers { get; init; } = [];

    /// <summary>Names that have no row in the table of drivers.</summary>
    public IReadOnlyList<string> AbsentDrivers { get; init; } = [];

    /// <summary>What the recording cost; null where it is not to be compared.</summary>
    public string? Recording { get; init; }

    public long? Probes { get; init; }

    public SuspectVerdict? Suspect { get; init; }

    /// <summary>Parts of sentences that the evidence against the first culprit holds.</summary>
    public IReadOnlyList<string> Evidence { get; init; } = [];

    /// <summary>Compares, all differences at once.</summary>
    public void AssertHolds(BlameReport report)
    {
        string expected = Described(this);
        string actual = Described(report);
        Assert.True(expected == actual, $"Expected:\n{expected}\n\nActual:\n{actual}");
        Assert.All(Cleared, name => Assert.Contains(report.Cleared, cleared => cleared.Name == name));
        Assert.All(Warnings, part => Assert.Contains(report.Warnings, warning => warning.Contains(part, StringComparison.Ordinal)));
        string[] evidence = [.. report.Culprits.Concat(report.Secondary ?? []).SelectMany(culprit => culprit.Evidence)];
        Assert.All(Told, part => Assert.Contains(evidence, sentence => sentence.Contains(part, StringComparison.Ordinal)));
        Assert.All(Untold, part => Assert.DoesNotContain(
            evidence.Concat(report.Warnings), sentence => sentence.Contains(part, StringComparison.OrdinalIgnoreCase)));
        Assert.All(Said, part => Assert.Contains(part, report.Summary.Conclusion));
        Assert.All(Unsaid, part => Assert.DoesNotContain(part, report.Summary.Conclusion));
        Assert.All(Evidence, part => Assert.Contains(
            report.Culprits[0].Evidence, fact => fact.Contains(part, StringComparison.Ordinal)));
        Assert.Equal(Suspect, report.Suspect?.Verdict);
        Assert.All(Drivers, row => Assert.Contains(row, report.Drivers.Select(Described)));
        Assert.All(AbsentDrivers, name => Assert.DoesNotContain(name, report.Drivers.Select(driver => driver.Name)));
        Assert.Equal(Recording ?? Described(report.Recording), Described(report.Recording));
        Assert.Equal(Probes ?? report.Summary.Probes, report.Summary.Probes);
    }

    private static string Described(ScenarioExpectation expected) => Described(
        expected.Verdict!.Value,
        expected.Culprits.Select(culprit => culprit.ToString()),
        expected.Secondary.Select(culprit => culprit.ToString()),
        expected.Episodes.Select(episode => episode.ToString()));

    private string Described(BlameReport report) => Described(
        report.Summary.Verdict,
        Described(report.Culprits, Culprits),
        Described(report.Secondary ?? [], Secondary),
        report.Episodes.Select((episode, index) => new ExpectedEpisode
        {
            Probe = episode.Probe,
            Start = episode.Start,
            Latency = episode.Latency,
            Cpu = episode.Cpu,
            Thread = episode.Thread?.Tid,
            IsSecondary = episode.Secondary,
            Unexplained = episode.Unexplained,
            Chain = index >= Episodes.Count || Episodes[index].Chain is not null ? ChainOf(episode.Chain) : null,
            Causes = [.. episode.Causes.Select(cause => new ExpectedCause(
                cause.Culprit,
                cause.Mechanism,
                cause.Time,
                string.Join(", ", (cause.Chain ?? []).Select(link => $"{link.Thread} {link.Why}"))))],
        }.ToString()));

    private static string PeriodOf(Culprit culprit) => culprit.Period is { } period
        ? new Duration((long)Math.Round(period.Seconds * 1e9)).ToString()
        : "none";

    private static string WithoutOf(Culprit culprit) => culprit.Without is { } left ? $"{left.Episodes} worst {left.Worst}" : "none";

    private static string? ChainOf(WakeupChain? chain) => chain is null ? null
        : $"{chain.Interrupt?.ToString() ?? "?"} {chain.DpcStart} {chain.Ready} {chain.Run} cpu{chain.TargetCpu} {chain.Importance} "
            + $"{chain.QueueDepth}";

    /// <summary>As much of the culprits as is expected of the one at the same place.</summary>
    private static IEnumerable<string> Described(IReadOnlyList<Culprit> culprits, IReadOnlyList<ExpectedCulprit> expected)
    {
        return culprits.Select((culprit, index) => new ExpectedCulprit
        {
            Name = culprit.Name,
            Mechanism = culprit.Mechanism,
            Kind = Wants(index, one => one.Kind is not null) ? culprit.Kind : null,
            Proof = Wants(index, one => one.Proof is not null) ? culprit.Proof : null,
            Confidence = Wants(index, one => one.Confidence is not null) ? culprit.Confidence : null,
            Through = Wants(index, one => one.Through is not null) ? string.Join(',', culprit.Through) : null,
            Period = Wants(index, one => one.Period is not null) ? PeriodOf(culprit) : null,
            Without = Wants(index, one => one.Without is not null) ? WithoutOf(culprit) : null,
        }.ToString());

        bool Wants(int index, Func<ExpectedCulprit, bool> which) => index >= expected.Count || which(expected[index]);
    }

    private static string Described(
        Verdict verdict, IEnumerable<string> culprits, IEnumerable<string> secondary, IEnumerable<string> episodes) =>
        string.Join('\n', [$"verdict {verdict}", .. culprits, .. secondary.Select(culprit => $"second {culprit}"), .. episodes]);

    private static string Described(DriverActivity driver)
    {
        string through = driver.Through.Count > 0 ? $" through {string.Join(',', driver.Through)}" : "";
        return $"{driver.Name}{through} isr {Described(driver.Isr)} dpc {Described(driver.Dpc)}";
    }

    private static string Described(RecordingCost? cost) => cost is null
        ? "none"
        : $"profile {Described(cost.ProfileInterrupt)} clock {Described(cost.ClockInterrupt)}";

    private static string Described(InterruptCost? cost) => cost is null ? "none" : $"{cost.Count} {cost.Total}";

    private static string Described(RoutineTimes? times) => times is null ? "none" : $"{times.Count} {times.Total} max {times.Max}";
}

internal sealed record ExpectedCulprit
{
    public required string Name { get; init; }

    public required Mechanism Mechanism { get; init; }

    public CulpritKind? Kind { get; init; }

    public Proof? Proof { get; init; }

    public Confidence? Confidence { get; init; }

    public string? Through { get; init; }

    public string? Period { get; init; }

    public string? Without { get; init; }

    public override string ToString() =>
        $"culprit {Name} {Mechanism} {Kind} {Proof} {Confidence} through {Through} period {Period} without {Without}";
}

internal sealed record ExpectedEpisode
{
    public required ProbeKind Probe { get; init; }

    public required Duration Start { get; init; }

    public required Duration Latency { get; init; }

    public required int? Cpu { get; init; }

    public long? Thread { get; init; }

    public bool IsSecondary { get; init; }

    public IReadOnlyList<ExpectedCause> Causes { get; init; } = [];

    public Duration Unexplained { get; init; }

    /// <summary>Its chain in words; null where it is not to be compared.</summary>
    public string? Chain { get; init; }

    public override string ToString() => string.Join('\n', [
        $"episode {Probe} at {Start} takes {Latency} cpu {Cpu} thread {Thread}{(IsSecondary ? " secondary" : "")}",
        $"  chain {Chain}",
        .. Causes.Select(cause => $"  {cause.Culprit ?? "?"} {cause.Mechanism} {cause.Time} {cause.Through}".TrimEnd())
            .Order(StringComparer.Ordinal),
        $"  unexplained {Unexplained}"]);
}

internal sealed record ExpectedCause(string? Culprit, Mechanism Mechanism, Duration Time, string Through);
