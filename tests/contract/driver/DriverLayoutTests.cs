using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Tracer.Contract.Tests;

/// <summary>
/// The C side of the driver's records and interface, as a C compiler sees it, against the C# side: tests/kdriver/print_layout.c
/// prints every structure, field, constant and one filled record of each type.
/// </summary>
public sealed partial class DriverLayoutTests : IClassFixture<DriverLayoutTests.CompiledHeaders>
{
    private readonly CompiledHeaders _headers;

    public DriverLayoutTests(CompiledHeaders headers)
    {
        Assert.SkipUnless(CompiledHeaders.HasCompiler, "no C compiler (cc) here: package gcc");
        _headers = headers;
    }

    public static TheoryData<string, Type> Structures => new()
    {
        { "tracer_record_header", typeof(DriverRecordHeader) },
        { "tracer_start", typeof(StartRecord) },
        { "tracer_clock_sync", typeof(ClockSyncRecord) },
        { "tracer_wakeup", typeof(WakeupRecord) },
        { "tracer_episode_begin", typeof(EpisodeBeginRecord) },
        { "tracer_pit_sample", typeof(PitSampleRecord) },
        { "tracer_episode_end", typeof(EpisodeEndRecord) },
        { "tracer_stop", typeof(StopRecord) },
        { "tracer_timer_state", typeof(TimerStateRecord) },
        { "tracer_module", typeof(ModuleRecord) },
        { "tracer_abi", typeof(AbiHeader) },
        { "tracer_start_request", typeof(StartRequest) },
        { "tracer_status", typeof(DriverStatus) },
        { "tracer_read_batch", typeof(ReadBatch) },
        { "tracer_histogram_request", typeof(HistogramRequest) },
        { "tracer_histogram", typeof(DriverHistogram) },
    };

    public static TheoryData<string, Type> Enumerations => new()
    {
        { "TRACER_RECORD_", typeof(DriverRecordType) },
        { "TRACER_MODE_", typeof(ProbeMode) },
        { "TRACER_CLOCK_", typeof(ProbeClock) },
        { "TRACER_SAMPLE_", typeof(SampleSource) },
        { "TRACER_CAN_", typeof(DriverCapabilities) },
        { "TRACER_REFUSAL_", typeof(DriverRefusal) },
        { "TRACER_START_", typeof(StartOptions) },
        { "TRACER_STATE_", typeof(DriverState) },
        { "TRACER_PHASE_", typeof(LatencyPhase) },
        { "TRACER_IOCTL_", typeof(DriverIoctl) },
    };

    [Theory]
    [MemberData(nameof(Structures))]
    public void Each_structure_has_the_same_fields_at_the_same_places(string cName, Type type)
    {
        FieldInfo[] fields = type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
        var expected = _headers.Fields(cName);
        var actual = fields.Select(field => (
            Name: SnakeCase(field.Name),
            Offset: (long)Marshal.OffsetOf(type, field.Name),
            Bytes: (long)SizeOf(field.FieldType)));
        Assert.Equal(expected, actual);
        Assert.Equal(_headers.Size(cName), SizeOf(type));
    }

    [Theory]
    [MemberData(nameof(Enumerations))]
    public void Each_constant_has_the_same_value(string prefix, Type type)
    {
        var actual =
            from constant in type.GetFields(BindingFlags.Static | BindingFlags.Public)
            where !IsNothing(type, constant)
            let name = prefix + SnakeCase(constant.Name).ToUpperInvariant()
            select (Name: name, Value: Convert.ToInt64(constant.GetRawConstantValue(), CultureInfo.InvariantCulture));
        Assert.Equal(_headers.Constants(prefix).OrderBy(constant => constant.Name), actual.OrderBy(constant => constant.Name));
    }

    [Fact]
    public void Each_limit_has_the_same_value() => Assert.Equal(
        [
            ("TRACER_ABI_VERSION", DriverAbi.Version),
            ("TRACER_MAX_PRIORITIES", DriverAbi.MaxPriorities),
            ("TRACER_MAX_CALLERS", DriverAbi.MaxCallers),
            ("TRACER_NAME_BYTES", DriverAbi.NameBytes),
            ("TRACER_MAX_RECORD_BYTES", DriverAbi.MaxRecordBytes),
            ("TRACER_READ_LEAST_BYTES", DriverInterface.ReadLeastBytes),
            ("TRACER_LONGEST_PERIOD_NS", DriverInterface.LongestPeriodNs),
            ("TRACER_SMI_NOT_READ", DriverAbi.SmiNotRead),
            ("TRACER_ALL_CPUS", DriverInterface.AllCpus),
            ("TRACER_HISTOGRAM_BUCKETS", DriverInterface.HistogramBuckets),
        ],
        _headers.Constants("limit:").Select(constant => (constant.Name["limit:".Length..], constant.Value)));

    [Fact]
    public void A_wakeup_that_C_wrote_is_read_with_its_values()
    {
        WakeupRecord wakeup = MemoryMarshal.Read<WakeupRecord>(_headers.Sample("tracer_wakeup"));
        Assert.Equal(
            (DriverRecordType.Wakeup, (ushort)88, (ushort)3, 0x1122334455667788ul),
            (wakeup.Header.Type, wakeup.Header.Size, wakeup.Header.Cpu, wakeup.Sequence));
        Assert.Equal((1_000ul, 0ul, 3_000ul, 4_000ul), (wakeup.Expected, wakeup.Isr, wakeup.Dpc, wakeup.Thread));
        Assert.Equal(
            (0xFFFFF80612345678ul, (ushort)0x10, ProbeMode.Timer, (byte)28),
            (wakeup.InterruptedIp, wakeup.InterruptedCs, wakeup.Mode, wakeup.Priority));
    }

    [Fact]
    public void A_sample_that_C_wrote_ends_behind_its_last_caller()
    {
        byte[] bytes = _headers.Sample("tracer_pit_sample");
        PitSampleRecord sample = MemoryMarshal.Read<PitSampleRecord>(bytes);
        Assert.Equal((48 + (8 * 2), 2), (sample.Header.Size, sample.CallerCount));
        Assert.Equal((SampleSource.Nmi, 7u, 9u, 0x246ul), (sample.Source, sample.Episode, sample.Index, sample.Flags));
        Assert.Equal((0xFFFFF80600000001ul, 0xFFFFF80600000002ul), (sample.Callers[0], sample.Callers[1]));
    }

    /// <summary>C has no name for "no flags".</summary>
    private static bool IsNothing(Type type, FieldInfo constant) =>
        type.IsDefined(typeof(FlagsAttribute)) && constant.Name == nameof(DriverCapabilities.None);

    private static int SizeOf(Type type) => type.IsEnum
        ? SizeOf(Enum.GetUnderlyingType(type))
        : (int)typeof(Unsafe).GetMethod(nameof(Unsafe.SizeOf))!.MakeGenericMethod(type).Invoke(null, null)!;

    private static string SnakeCase(string name) =>
        WordStart().Replace(name.TrimStart('_'), "_$0").ToLowerInvariant();

    [GeneratedRegex("(?<=[a-z0-9])[A-Z]")]
    private static partial Regex WordStart();

    /// <summary>Compiles print_layout.c with the C compiler of the system and keeps what it prints; nothing where there is none.</summary>
    public sealed class CompiledHeaders
    {
        private readonly string[][] _lines = HasCompiler ? CompileAndRun() : [];

        public static bool HasCompiler { get; } = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
            .Any(folder => File.Exists(Path.Combine(folder, "cc")));

        public long Size(string structure) => Number(Assert.Single(Rows("struct"), row => row[1] == structure)[2]);

        public IEnumerable<(string Name, long Offset, long Bytes)> Fields(string structure) =>
            from row in Rows("field")
            where row[1] == structure
            select (row[2], Number(row[3]), Number(row[4]));

        public IEnumerable<(string Name, long Value)> Constants(string prefix) =>
            from row in Rows("constant")
            where row[1].StartsWith(prefix, StringComparison.Ordinal)
            select (row[1], Number(row[2]));

        public byte[] Sample(string structure) => Convert.FromHexString(Assert.Single(Rows("sample"), row => row[1] == structure)[2]);

        private static string[][] CompileAndRun()
        {
            DirectoryInfo folder = Directory.CreateTempSubdirectory("tracer-layout-");
            try
            {
                string program = Path.Combine(folder.FullName, "print_layout");
                ChildProcess.Output(
                    "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Ikdriver/include", "-o", program, "tests/kdriver/print_layout.c");
                return [.. ChildProcess.Output(program).Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split(' '))];
            }
            finally
            {
                folder.Delete(recursive: true);
            }
        }

        private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);

        private IEnumerable<string[]> Rows(string kind) => _lines.Where(line => line[0] == kind);
    }
}
