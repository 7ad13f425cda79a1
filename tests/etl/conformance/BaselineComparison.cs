using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>A value that is not what the baseline says.</summary>
internal sealed record FieldDifference(BaselineLine Line, DecodedEvent Decoded, string Field, string Expected, string Actual)
{
    public string Event => Line.Name;

    public override string ToString() => $"line {Line.Number}, {Event}: {Field} is {Actual} here, {Expected} in the baseline";
}

/// <summary>How a trace agrees with its baseline.</summary>
internal sealed class BaselineComparison
{
    private static readonly Dictionary<string, Lazy<BaselineComparison>> Done = BaselineFile.Traces.ToDictionary(
        trace => trace, trace => new Lazy<BaselineComparison>(() => new BaselineComparison(trace)));

    private readonly TraceFacts _facts;

    private BaselineComparison(string trace)
    {
        Trace = trace;
        var baseline = BaselineFile.Read(trace);
        using EtlReader reader = TraceVisit.Open(trace + ".etl");
        _facts = new TraceFacts(reader.Header.Clock);
        var decoder = new EventDecoder();
        TraceVisit.Visit(reader, EtlOrder.File, (scoped in EtlEvent traceEvent) => decoder.Learn(in traceEvent));
        List<DecodedEvent>[] candidates = Candidates(reader, decoder, baseline);
        Lines = baseline.Lines.Count;
        Assign(baseline, candidates);
        BaselineCounts = baseline.Counts;
    }

    public string Trace { get; }

    public int Lines { get; }

    /// <summary>Lines that no event of ours was found for.</summary>
    public List<BaselineLine> Unmatched { get; } = [];

    /// <summary>Lines whose manifest is not in the trace.</summary>
    public int LinesWithoutManifest { get; private set; }

    public int Equal { get; private set; }

    public int Derived { get; private set; }

    public int NotComparable { get; private set; }

    /// <summary>Fields of lines whose manifest is not in the trace.</summary>
    public int WithoutManifest { get; private set; }

    public List<FieldDifference> Differences { get; } = [];

    /// <summary>Events of each name here.</summary>
    public SortedDictionary<string, int> Counts { get; } = new(StringComparer.Ordinal);

    public IReadOnlyDictionary<string, int> BaselineCounts { get; }

    /// <summary>Fields that cannot be compared, by reason.</summary>
    public SortedDictionary<string, int> Reasons { get; } = new(StringComparer.Ordinal);

    public int Fields => Equal + Derived + NotComparable + WithoutManifest + Differences.Count;

    /// <summary>The comparison of a trace, made once.</summary>
    public static BaselineComparison Of(string trace) => Done[trace].Value;

    private List<DecodedEvent>[] Candidates(EtlReader reader, EventDecoder decoder, BaselineFile baseline)
    {
        ILookup<long, int> linesAt = Enumerable.Range(0, baseline.Lines.Count).ToLookup(i => baseline.Lines[i].Microseconds);
        var candidates = new List<DecodedEvent>[baseline.Lines.Count];
        Array.Fill(candidates, []);
        int index = 0;
        TraceVisit.Visit(reader, EtlOrder.Time, (scoped in EtlEvent traceEvent) =>
        {
            _facts.Learn(in traceEvent, decoder);
            string name = BaselineNames.Of(in traceEvent, decoder);
            Counts[name] = Counts.GetValueOrDefault(name) + 1;
            long microseconds = (reader.Header.Clock.NanosecondsFromHeader(traceEvent.TimestampTicks) + 500) / 1000;
            DecodedEvent? decoded = null;
            foreach (int i in linesAt[microseconds])
            {
                BaselineLine line = baseline.Lines[i];
                if (line.Name == name && line.Cpu == traceEvent.Cpu && line.PayloadBytes == traceEvent.Payload.Length)
                {
                    decoded ??= DecodedEvent.From(in traceEvent, name, index, decoder);
                    candidates[i] = [.. candidates[i], decoded];
                }
            }

            index++;
        });
        return candidates;
    }

    /// <summary>Each line takes the event that differs least and that no earlier line took.</summary>
    private void Assign(BaselineFile baseline, List<DecodedEvent>[] candidates)
    {
        var taken = new HashSet<int>();
        for (int i = 0; i < candidates.Length; i++)
        {
            BaselineLine line = baseline.Lines[i];
            DecodedEvent? best = candidates[i].Where(candidate => !taken.Contains(candidate.Index))
                .MinBy(candidate => Compare(line, candidate).Differences.Count);
            if (best is null)
            {
                Unmatched.Add(line);
                continue;
            }

            taken.Add(best.Index);
            LineResult result = Compare(line, best);
            Equal += result.Equal;
            Derived += result.Derived;
            NotComparable += result.Reasons.Count;
            WithoutManifest += result.WithoutManifest;
            LinesWithoutManifest += best is { HasFields: false, PayloadBytes: > 0 } ? 1 : 0;
            Differences.AddRange(result.Differences);
            foreach (string reason in result.Reasons)
            {
                Reasons[reason] = Reasons.GetValueOrDefault(reason) + 1;
            }
        }
    }

    private LineResult Compare(BaselineLine line, DecodedEvent decoded)
    {
        var result = new LineResult();
        foreach ((string name, string expected) in line.Fields)
        {
            switch (name)
            {
                case "ProceNum" or "DataLen":
                    // What the line was found by.
                    break;
                case "PID" or "TID":
                    result.Add(CompareOwner(line, decoded, name, expected));
                    break;
                case "PName":
                    result.Add(AsDerived(line, decoded, name, expected, _facts.ProcessName(line.Number32("PID"))));
                    break;
                default:
                    CompareField(line, decoded, name, expected, result);
                    break;
            }
        }

        return result;
    }

    private void CompareField(BaselineLine line, DecodedEvent decoded, string name, string expected, LineResult result)
    {
        FieldRule? rule = BaselineFields.Find(line.Name, name);
        if (!decoded.HasFields)
        {
            result.WithoutManifest++;
        }
        else if (rule?.Make is not null)
        {
            result.Add(AsDerived(line, decoded, name, expected, rule.Make(decoded, _facts)));
        }
        else if (rule is not null && rule.Ours is null)
        {
            result.Reasons.Add($"{ShortName(line.Name)}: {name}: {rule.Reason}");
        }
        else if (decoded.Find(rule?.Ours ?? name) is DecodedField field)
        {
            bool isSame = BaselineValue.IsSame(expected, field) || (expected == "None" && field.Bits == 0);
            result.Add((isSame, IsDerived: false, isSame ? null : new(line, decoded, name, expected, field.Text)));
        }
        else
        {
            result.Add((false, false, new(line, decoded, name, expected, "(no such field)")));
        }
    }

    /// <summary>Process and thread: of the header, else of the payload, else of the thread's own events.</summary>
    private (bool IsSame, bool IsDerived, FieldDifference? Difference) CompareOwner(
        BaselineLine line, DecodedEvent decoded, string name, string expected)
    {
        bool isProcess = name == "PID";
        int wanted = int.Parse(expected, CultureInfo.InvariantCulture);
        int ofHeader = (int)(isProcess ? decoded.ProcessId : decoded.ThreadId);
        DecodedField? payload = isProcess ? decoded.Find("ProcessId") ?? decoded.Find("PID") : null;
        DecodedField? thread = decoded.Find("ThreadId") ?? decoded.Find("IssuingThreadId");
        payload ??= isProcess ? null : thread;
        if (wanted == ofHeader || (payload is not null && wanted == (int)payload.Bits))
        {
            return (true, false, null);
        }

        int? derived = isProcess
            ? thread is null ? null : _facts.ProcessOf((uint)thread.Bits, decoded.Ticks)
            : BaselineFields.HasNoThread(line.Name) ? -1 : null;
        return derived == wanted
            ? (true, true, null)
            : (false, true, new FieldDifference(line, decoded, name, expected, $"{(payload is null ? ofHeader : (long)payload.Bits)}"));
    }

    private static (bool IsSame, bool IsDerived, FieldDifference? Difference) AsDerived(
        BaselineLine line, DecodedEvent decoded, string name, string expected, string actual)
    {
        bool isSame = BaselineValue.IsSameText(expected, actual) || expected.Replace("0x0", "0x", StringComparison.Ordinal) == actual;
        return (isSame, true, isSame ? null : new FieldDifference(line, decoded, name, expected, actual));
    }

    private static string ShortName(string name) => name[(name.IndexOf('/', StringComparison.Ordinal) + 1)..];

    private sealed class LineResult
    {
        public int Equal { get; private set; }

        public int Derived { get; private set; }

        public int WithoutManifest { get; set; }

        public List<string> Reasons { get; } = [];

        public List<FieldDifference> Differences { get; } = [];

        public void Add((bool IsSame, bool IsDerived, FieldDifference? Difference) field)
        {
            if (field.Difference is not null)
            {
                Differences.Add(field.Difference);
            }
            else if (field.IsDerived)
            {
                Derived++;
            }
            else
            {
                Equal++;
            }
        }
    }
}
