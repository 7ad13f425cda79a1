using System.ComponentModel;
using System.Diagnostics;
using Tracer.Measure.Ground;

namespace Tracer.Measure.Processes;

/// <summary>
/// This program once more, in a process of its own beside a measurement. It works as long as its standard input is open: whatever ends
/// this process ends it too.
/// </summary>
internal sealed class HelperProcess : IDisposable
{
    private const int PatienceMilliseconds = 30_000;

    private readonly Process _process;
    private readonly string _what;

    private HelperProcess(Process process, string what, string firstLine) => (_process, _what, FirstLine) = (process, what, firstLine);

    public string FirstLine { get; }

    public int Id => _process.Id;

    /// <summary>Starts one, and waits for its first line.</summary>
    /// <param name="ready">How its first line begins.</param>
    /// <exception cref="MeasureException">It can't be started; the message is what it says itself.</exception>
    public static HelperProcess Start(string what, string ready, params IReadOnlyList<string> words)
    {
        string assembly = Path.Combine(AppContext.BaseDirectory, "tracer.dll");
        bool isAssembly = File.Exists(assembly);
        string host = Path.GetFileNameWithoutExtension(Environment.ProcessPath ?? "") == "dotnet" ? Environment.ProcessPath! : "dotnet";
        var start = new ProcessStartInfo(isAssembly ? host : Environment.ProcessPath!)
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            CreateNoWindow = true,
        };
        foreach (string word in (IEnumerable<string>)[.. isAssembly ? [assembly] : Array.Empty<string>(), "measure", .. words])
        {
            start.ArgumentList.Add(word);
        }

        Process process;
        try
        {
            process = Process.Start(start)!;
        }
        catch (Win32Exception refusal)
        {
            throw new MeasureException($"{what} can't be started: {refusal.Message}", refusal);
        }

        Task<string?> line = process.StandardOutput.ReadLineAsync();
        if (!line.Wait(PatienceMilliseconds) || line.Result?.StartsWith(ready, StringComparison.Ordinal) != true)
        {
            // One that ends has closed its output a moment before.
            string said = line.IsCompleted && process.WaitForExit(PatienceMilliseconds)
                ? process.StandardError.ReadToEnd().Trim()
                : "it did not begin within half a minute";
            End(process);
            process.Dispose();
            throw new MeasureException(
                said.StartsWith("tracer: ", StringComparison.Ordinal) ? said["tracer: ".Length..] : $"{what} can't be started: {said}");
        }

        return new HelperProcess(process, what, line.Result);
    }

    /// <summary>Looks whether it still works.</summary>
    /// <exception cref="MeasureException">It has ended.</exception>
    public void MustWork()
    {
        if (_process.HasExited)
        {
            throw new MeasureException($"{_what} ended while it was measured: {_process.StandardError.ReadToEnd().Trim()}");
        }
    }

    /// <summary>Ends it, and gives what it wrote last.</summary>
    public string Finish()
    {
        Task<string> rest = _process.StandardOutput.ReadToEndAsync();
        End(_process);
        return rest.Wait(PatienceMilliseconds) ? rest.Result : "";
    }

    /// <summary>Ends it, and waits until it has removed its files.</summary>
    public void Dispose()
    {
        End(_process);
        _process.Dispose();
    }

    private static void End(Process process)
    {
        try
        {
            process.StandardInput.Close();
            if (!process.WaitForExit(PatienceMilliseconds))
            {
                process.Kill(entireProcessTree: true);
            }
        }
        catch (Exception gone) when (gone is InvalidOperationException or IOException)
        {
            // It is gone, or its end of the pipe is.
        }
    }
}
