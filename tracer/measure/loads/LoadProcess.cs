using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using Tracer.Contract;

namespace Tracer.Measure;

/// <summary>
/// A load in a process of its own, so that what it allocates and collects does not stop the threads that measure. It works as long as its
/// standard input is open: whatever ends this process ends it too.
/// </summary>
public sealed class LoadProcess : IDisposable
{
    /// <summary>What it writes when it works.</summary>
    public const string Ready = "ready";

    private const int PatienceMilliseconds = 10_000;

    private readonly Process _process;
    private readonly LoadKind _kind;

    private LoadProcess(Process process, LoadKind kind) => (_process, _kind) = (process, kind);

    /// <summary>Starts one, and waits until it works.</summary>
    /// <param name="kind">Which.</param>
    /// <param name="seed">Where random numbers begin.</param>
    /// <exception cref="MeasureException">It can't be started; the message is what it says itself.</exception>
    public static LoadProcess Start(LoadKind kind, long seed)
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
        foreach (string word in (IEnumerable<string>)
            [
                .. isAssembly ? [assembly] : Array.Empty<string>(), "measure", "load", KebabCase.Of(kind), "--seed",
                seed.ToString(CultureInfo.InvariantCulture),
            ])
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
            throw new MeasureException($"the load '{KebabCase.Of(kind)}' can't be started: {refusal.Message}", refusal);
        }

        var load = new LoadProcess(process, kind);
        Task<string?> line = process.StandardOutput.ReadLineAsync();
        if (!line.Wait(PatienceMilliseconds) || line.Result != Ready)
        {
            string said = process.HasExited ? process.StandardError.ReadToEnd().Trim() : "it did not begin within ten seconds";
            load.Dispose();
            throw new MeasureException(said.StartsWith("tracer: ", StringComparison.Ordinal) ? said["tracer: ".Length..]
                : $"the load '{KebabCase.Of(kind)}' can't be started: {said}");
        }

        return load;
    }

    /// <summary>Looks whether it still works.</summary>
    /// <exception cref="MeasureException">It has ended.</exception>
    public void MustWork()
    {
        if (_process.HasExited)
        {
            throw new MeasureException(
                $"the load '{KebabCase.Of(_kind)}' ended while it was measured: {_process.StandardError.ReadToEnd().Trim()}");
        }
    }

    /// <summary>The number of its process.</summary>
    public int Id => _process.Id;

    /// <summary>Ends it, and waits until it has removed its files.</summary>
    public void Dispose()
    {
        try
        {
            _process.StandardInput.Close();
            if (!_process.WaitForExit(PatienceMilliseconds))
            {
                _process.Kill(entireProcessTree: true);
            }
        }
        catch (InvalidOperationException)
        {
            // It is gone.
        }

        _process.Dispose();
    }
}
