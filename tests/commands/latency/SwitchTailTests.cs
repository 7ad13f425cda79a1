namespace Tracer.Commands.Tests.Latency;

/// <summary>Context switches of version 5 have four bytes more, of unknown meaning: whatever stands in them, nothing changes.</summary>
public sealed class SwitchTailTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("latency")]
    [InlineData("blame")]
    public void The_unknown_field_of_a_switch_changes_nothing(string command)
    {
        string known = Json(command, null);
        Assert.Contains("4242", Json("blame", null));
        Every.Item([0u, 1u, 0x0001_0001u, uint.MaxValue], tail => Assert.Equal(known, Json(command, tail)));
    }

    private string Json(string command, uint? tail)
    {
        var trace = new StrangeTrace { SwitchTail = tail };
        trace.AddNames(@"\SystemRoot\nic.sys", "nic.pdb", "p.exe");
        for (int i = 0; i < 20; i++)
        {
            trace.AddDpc((i * 100_000) + 50_000).AddWait(i * 100_000, 20_000 + i);
        }

        (int exitCode, string output, string error) =
            CommandRun.Analyzer(command, trace.WriteTo(Path.Combine(_folder, "t.etl")), "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        return output;
    }
}
