using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.RegularExpressions;
using Tracer.Etl;

namespace Tracer.Contract.Tests;

public partial class TracerProviderTests
{
    [Fact]
    public void The_id_is_the_hash_of_the_name() => Assert.Equal(ProviderIdFromName.Compute(TracerProvider.Name), TracerProvider.Id);

    /// <summary>What the driver hands to user mode and what it logs are the same facts, so that either way makes the same trace.</summary>
    [Theory]
    [InlineData("Start", typeof(StartRecord))]
    [InlineData("ClockSync", typeof(ClockSyncRecord))]
    [InlineData("Wakeup", typeof(WakeupRecord))]
    [InlineData("EpisodeBegin", typeof(EpisodeBeginRecord))]
    [InlineData("PitSample", typeof(PitSampleRecord))]
    [InlineData("EpisodeEnd", typeof(EpisodeEndRecord))]
    [InlineData("Stop", typeof(StopRecord))]
    [InlineData("TimerState", typeof(TimerStateRecord))]
    public void Each_event_has_the_fields_of_its_record(string eventName, Type record)
    {
        ProviderEvent providerEvent = Assert.Single(TracerProvider.Events, candidate => candidate.Name == eventName);
        Dictionary<string, FieldInfo> recordFields = record.GetFields()
            .Where(field => field.FieldType != typeof(DriverRecordHeader))
            .ToDictionary(field => char.ToLowerInvariant(field.Name[0]) + field.Name[1..]);
        foreach (ProviderField field in providerEvent.Fields)
        {
            if (field.Name == "cpu")
            {
                Assert.Equal(TraceLoggingInType.UInt16, field.InType); // It stands in the record's header.
                continue;
            }

            Assert.True(recordFields.Remove(field.Name, out FieldInfo? recordField), $"{record.Name} has no {field.Name}");
            InlineArrayAttribute? array = recordField.FieldType.GetCustomAttribute<InlineArrayAttribute>();
            Assert.Equal(field.IsArray, array is not null);
            Assert.Equal(BytesOf(field.InType), BytesOf(recordField.FieldType) / (array?.Length ?? 1));
        }

        // What is left counts the values of an array, which the event does by itself.
        Assert.All(recordFields.Keys, left => Assert.EndsWith("Count", left));
    }

    [Fact]
    public void Addresses_are_code_pointers() =>
        Every.Item(
            from providerEvent in TracerProvider.Events
            from field in providerEvent.Fields
            where field.Name is "ip" or "interruptedIp" or "callers"
            select field,
            field => Assert.Equal(((byte)21, (byte)37), ((byte)field.InType, (byte)field.OutType)));

    /// <summary>
    /// What the contract lists, with these fields; the flight recorder's own marks and the state of the one timer are ours to add.
    /// </summary>
    [Fact]
    public void The_events_are_those_of_the_contract_and_the_marks_of_the_flight_recorder()
    {
        ProviderEvent[] ours =
        [
            TracerProvider.CaptureWork, TracerProvider.Capture, TracerProvider.Slice, TracerProvider.RundownLoss, TracerProvider.TimerState,
        ];
        string section = RepositoryFiles.ContractText().Split("## 5.")[1].Split("## 6.")[0];
        IEnumerable<string> expected =
            from Match match in EventInContract().Matches(section)
            from part in (string[])[match.Groups[2].Value, match.Groups[3].Value]
            from Match field in FieldInContract().Matches(part)
            select $"{match.Groups[1].Value}.{field.Groups[1].Value} {field.Groups[2].Value}";
        IEnumerable<string> actual =
            from providerEvent in TracerProvider.Events.Except(ours)
            from field in providerEvent.Fields
            select $"{providerEvent.Name}.{field.Name} u{8 * BytesOf(field.InType)}{(field.IsArray ? "[]" : "")}";
        Assert.Equal(expected, actual);
    }

    [Fact]
    public void The_document_lists_the_events_as_they_are() => GoldenText.AssertEqual("docs/generated/provider-events.md", Document());

    private static string Document()
    {
        var text = new StringBuilder()
            .Append("# The events of the Tracer provider\n\n")
            .Append("Written by a test from `contract/provider/TracerProvider.cs`; change it there and run\n")
            .Append("`UPDATE_GOLDEN=1 dotnet test --project tests/contract -c Release -- --filter-class '*TracerProviderTests'`.\n\n")
            .Append($"Provider `{TracerProvider.Name}`, GUID `{TracerProvider.Id}` (the name hashed by the\n")
            .Append("EventSource rule). TraceLogging: the schema travels with each event, so any ETW tool decodes them.\n")
            .Append("Payloads have no padding; an array is a u16 count and its values. Clock fields are in the clock\n")
            .Append("that `Start` names.\n");
        foreach (ProviderEvent providerEvent in TracerProvider.Events)
        {
            text.Append($"\n## {providerEvent.Name}\n\n{providerEvent.Meaning}\n\n")
                .Append("| field | in-type | out-type | meaning |\n|---|---|---|---|\n");
            foreach (ProviderField field in providerEvent.Fields)
            {
                text.Append($"| {field.Name} | {(byte)field.InType} {field.InType}{(field.IsArray ? "[]" : "")} | ")
                    .Append(field.OutType == TraceLoggingOutType.Default ? "-" : $"{(byte)field.OutType} {field.OutType}")
                    .Append($" | {field.Meaning} |\n");
            }
        }

        return text.ToString();
    }

    [GeneratedRegex(@"`(\w+)` \{([^}]*)\}(?:; version \d adds \{([^}]*)\})?")]
    private static partial Regex EventInContract();

    [GeneratedRegex(@"(\w+) (u\d+(?:\[\])?)(?: \([^)]*\))?(?:, |$)")]
    private static partial Regex FieldInContract();

    private static int BytesOf(TraceLoggingInType type) => type switch
    {
        TraceLoggingInType.UInt8 => 1,
        TraceLoggingInType.UInt16 => 2,
        TraceLoggingInType.UInt32 => 4,
        TraceLoggingInType.UInt64 or TraceLoggingInType.HexInt64 => 8,
        _ => throw new ArgumentOutOfRangeException(nameof(type), type, "no size known"),
    };

    private static int BytesOf(Type type) =>
        (int)typeof(Unsafe).GetMethod(nameof(Unsafe.SizeOf))!.MakeGenericMethod(type).Invoke(null, null)!;
}
