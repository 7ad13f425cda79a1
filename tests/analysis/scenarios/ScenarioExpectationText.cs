namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Reads the last part of a scenario: what its author expects.</summary>
internal sealed class ScenarioExpectationText
{
    private readonly List<ExpectedCulprit> _culprits = [];
    private readonly List<ExpectedCulprit> _secondary = [];
    private readonly List<ExpectedEpisode> _episodes = [];
    private readonly List<string> _cleared = [];
    private readonly List<string> _warnings = [];
    private readonly List<string> _told = [];
    private readonly List<string> _untold = [];
    private readonly List<string> _said = [];
    private readonly List<string> _unsaid = [];
    private readonly List<string> _drivers = [];
    private readonly List<string> _absentDrivers = [];
    private readonly List<string> _evidence = [];
    private SuspectVerdict? _suspect;
    private Verdict? _verdict;
    private long? _probes;
    private string? _recording;

    public ScenarioExpectation Done => new()
    {
        Verdict = _verdict,
        Culprits = _culprits,
        Secondary = _secondary,
        Episodes = _episodes,
        Cleared = _cleared,
        Warnings = _warnings,
        Told = _told,
        Untold = _untold,
        Said = _said,
        Unsaid = _unsaid,
        Drivers = _drivers,
        AbsentDrivers = _absentDrivers,
        Recording = _recording,
        Probes = _probes,
        Suspect = _suspect,
        Evidence = _evidence,
    };

    public void Add(ScenarioWords words)
    {
        string first = words.Next();
        switch (first)
        {
            case "verdict":
                _verdict = Named<Verdict>(words);
                break;
            case "culprit":
                _culprits.Add(Culprit(words));
                break;
            case "second":
                words.Expect("culprit");
                _secondary.Add(Culprit(words));
                break;
            case "episode":
                _episodes.Add(EpisodeOf(words));
                break;
            case "unexplained":
                _episodes[^1] = _episodes[^1] with { Unexplained = words.Length() };
                break;
            case "chain":
                _episodes[^1] = _episodes[^1] with { Chain = Chain(words) };
                break;
            case "cleared":
                _cleared.Add(NameOf(words.Next()));
                break;
            case "warned":
                _warnings.Add(words.Rest());
                break;
            case "told":
                _told.Add(words.Rest());
                break;
            case "untold":
                _untold.Add(words.Rest());
                break;
            case "said":
                _said.Add(words.Rest());
                break;
            case "unsaid":
                _unsaid.Add(words.Rest());
                break;
            case "suspect":
                _suspect = Named<SuspectVerdict>(words);
                break;
            case "evidence":
                _evidence.Add(words.Rest());
                break;
            case "driver":
                _drivers.Add(words.Rest());
                break;
            case "no-driver":
                _absentDrivers.Add(words.Next());
                break;
            case "cost":
                _recording = words.Rest();
                break;
            case "probes":
                _probes = words.Number();
                break;
            default:
                var cause = new ExpectedCause(
                    first == "?" ? null : NameOf(first),
                    Named<Mechanism>(words),
                    words.Length(),
                    words.Takes("through") ? words.Rest() : "");
                _episodes[^1] = _episodes[^1] with { Causes = [.. _episodes[^1].Causes, cause] };
                break;
        }

        words.ExpectEnd();
    }

    /// <summary>When the interrupt, the DPC, the readying and the thread came from the enqueue on; then CPU, importance, depth.</summary>
    private static string Chain(ScenarioWords words)
    {
        string interrupt = words.Takes("?") ? "?" : new Duration(words.Time()).ToString();
        string times = string.Join(' ', [words.Length(), words.Length(), words.Length()]);
        return $"{interrupt} {times} {words.Rest()}";
    }

    private static ExpectedCulprit Culprit(ScenarioWords words)
    {
        var culprit = new ExpectedCulprit { Name = NameOf(words.Next()), Mechanism = Named<Mechanism>(words) };
        while (!words.IsEnd)
        {
            culprit = words.Next() switch
            {
                "kind" => culprit with { Kind = Named<CulpritKind>(words) },
                "proof" => culprit with { Proof = Named<Proof>(words) },
                "confidence" => culprit with { Confidence = Named<Confidence>(words) },
                "through" => culprit with { Through = words.Takes("none") ? "" : words.Next() },
                "period" => culprit with { Period = words.Takes("none") ? "none" : words.Length().ToString() },
                "without" => culprit with { Without = $"{words.Number()} worst {(words.Takes("worst") ? words.Length() : null)}" },
                _ => throw words.Error("kind, proof, confidence, through, period or without is expected"),
            };
        }

        return culprit;
    }

    private static ExpectedEpisode EpisodeOf(ScenarioWords words)
    {
        ProbeKind probe = Named<ProbeKind>(words);
        words.Expect("at");
        var start = new Duration(words.Time());
        words.Expect("takes");
        return new ExpectedEpisode
        {
            Probe = probe,
            Start = start,
            Latency = words.Length(),
            Cpu = words.Cpu(),
            Thread = words.Takes("thread") ? words.Number() : null,
            IsSecondary = words.Takes("secondary"),
        };
    }

    /// <summary>The names that are no file's hold blanks; a text writes dashes.</summary>
    private static string NameOf(string word) => word switch
    {
        "hardware" => CulpritName.HardwareOrFirmware,
        "page-faults" => CulpritName.HardPageFaults,
        "clock" => CulpritName.Clock,
        "power" => CulpritName.PowerManagement,
        "recording" => CulpritName.Recording,
        _ => word,
    };

    private static TEnum Named<TEnum>(ScenarioWords words)
        where TEnum : struct, Enum
    {
        string word = words.Next();
        return Enum.TryParse(word.Replace("-", ""), ignoreCase: true, out TEnum value)
            ? value
            : throw words.Error($"'{word}' is not known");
    }
}
