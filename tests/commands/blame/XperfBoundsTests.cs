using System.Text.RegularExpressions;

namespace Tracer.Commands.Tests.Blame;

/// <summary>
/// <c>--style xperf</c> of traces that claim to last for years or to have thousands of CPUs: tables are bounded by what is in them.
/// </summary>
public sealed partial class XperfBoundsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void One_bad_time_stamp_makes_no_rows_without_end_and_is_told()
    {
        const long Years = 20L * 365 * 86_400 * StrangeTrace.Second;
        (string output, string error) = Printed(100, trace => trace.AddDpc(Years));
        Assert.InRange(output.Length, 1, 1_000_000);
        Assert.Contains("its time stamps span 630,720,0", error);
        Assert.Contains("the last of 4,197 intervals sums up the rest", error);
        MatchCollection headings = Intervals().Matches(output);
        Assert.Equal(2, headings.Count);
        Every.Item(headings, heading => Assert.Equal("4197", heading.Groups[1].Value));
        Assert.Contains("4196000-630720000", output);
    }

    [Fact]
    public void The_number_of_a_cpu_makes_no_columns_without_end_and_is_told()
    {
        (string output, string error) = Printed(100, trace => trace.AddDpc(50, cpu: 2000));
        Assert.InRange(output.Length, 1, 100_000);
        Assert.Contains("CPUs left out, because their numbers are far above all others: 1", error);
        Assert.DoesNotContain("CPU 64 ", output);
    }

    [Fact]
    public void Twice_the_records_make_at_most_twice_the_rows()
    {
        const long Years = 20L * 365 * 86_400 * StrangeTrace.Second;
        (string few, _) = Printed(20_000, trace => trace.AddDpc(Years));
        (string many, _) = Printed(40_000, trace => trace.AddDpc(Years));
        Assert.InRange((double)many.Length / few.Length, 1, 2);
    }

    [GeneratedRegex(@"Summing In 1 second intervals\. Intervals=(\d+)")]
    private static partial Regex Intervals();

    private (string Output, string Error) Printed(int dpcs, Action<StrangeTrace> also)
    {
        var trace = new StrangeTrace { Cpus = 2001 };
        trace.AddNames(@"\SystemRoot\nic.sys", "nic.pdb", "p.exe");
        for (int i = 0; i < dpcs; i++)
        {
            trace.AddDpc(100 + (i * 1000));
        }

        also(trace);
        (int exitCode, string output, string error) =
            CommandRun.Analyzer("blame", trace.WriteTo(Path.Combine(_folder, "t.etl")), "--style", "xperf");
        Assert.Equal(0, exitCode);
        return (output, error);
    }
}
