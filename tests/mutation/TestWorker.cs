using System.Diagnostics;

namespace Tracer.Mutation;

/// <summary>A process that runs tests, seen from outside: it may hang or end.</summary>
internal sealed class TestWorker : IDisposable
{
    /// <summary>What a mutant that asks for ever more memory gets.</summary>
    private const string HeapLimit = "0x60000000";

    private static readonly TimeSpan StartLimit = TimeSpan.FromMinutes(2);

    private readonly Process _process;

    public TestWorker(string folder, string analysis, int active)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet")
        {
            start.ArgumentList.Add(typeof(TestWorker).Assembly.Location);
        }

        string[] arguments = ["host", folder, analysis, active.ToString(CultureInfo.InvariantCulture)];
        Array.ForEach(arguments, start.ArgumentList.Add);
        start.Environment["DOTNET_GCHeapHardLimit"] = HeapLimit;
        start.Environment.Remove("UPDATE_GOLDEN");
        _process = Process.Start(start)!;
        _process.ErrorDataReceived += (_, _) => { };
        _process.BeginErrorReadLine();
        string? first = ReadLine(StartLimit);
        Tests = first?.StartsWith("tests ", StringComparison.Ordinal) == true
            ? int.Parse(first[6..], CultureInfo.InvariantCulture)
            : throw new InvalidOperationException($"The process of the tests does not start: {first}");
    }

    /// <summary>How many tests there are.</summary>
    public int Tests { get; }

    public void Write(string line)
    {
        _process.StandardInput.WriteLine(line);
        _process.StandardInput.Flush();
    }

    /// <summary>A line; null where the process ended or says nothing for so long: then it is of no more use.</summary>
    public string? ReadLine(TimeSpan limit)
    {
        Task<string?> line = _process.StandardOutput.ReadLineAsync();
        return line.Wait(limit) ? line.Result : null;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }
}
