using System.Runtime.InteropServices;

namespace Tracer.Commands.Tests.Fuzzing;

/// <summary>What a run of fuzzing measured: by command, and the worst of everything with what shows it again.</summary>
internal sealed class FuzzFigures
{
    /// <summary>Files must have so many bytes for a figure by the byte to mean something.</summary>
    private const int BytesToDivideBy = 256 * 1024;

    private readonly SortedDictionary<string, int> _commands = new(StringComparer.Ordinal);
    private readonly Dictionary<string, (int Files, double Seconds)> _bases = [];
    private (double Seconds, string What) _slowest;
    private (long Bytes, string What) _largest;
    private double _secondsOfByte;
    private double _allocatedOfByte;
    private double _seconds;
    private long _bytes;

    /// <summary>What went wrong.</summary>
    public List<string> Failures { get; } = [];

    /// <summary>Takes one run of a command.</summary>
    public void Add(string command, string origin, int bytes, double seconds, long allocated, long characters, string what)
    {
        _commands[command] = _commands.GetValueOrDefault(command) + 1;
        ref (int Files, double Seconds) ofBase = ref CollectionsMarshal.GetValueRefOrAddDefault(_bases, origin, out _);
        ofBase = (ofBase.Files + 1, ofBase.Seconds + seconds);
        _slowest = seconds > _slowest.Seconds ? (seconds, what) : _slowest;
        _largest = allocated > _largest.Bytes ? (allocated, what) : _largest;
        _seconds += seconds;
        _bytes += bytes;
        if (bytes >= BytesToDivideBy)
        {
            _secondsOfByte = Math.Max(_secondsOfByte, seconds / bytes);
            _allocatedOfByte = Math.Max(_allocatedOfByte, allocated / (double)bytes);
        }
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{string.Join(", ", _commands.Select(one => $"{one.Key} {one.Value}"))}; {_bytes / 1e6:f0} MB, {_seconds:f0} s of CPU, failures "
        + $"{Failures.Count}; slowest {_slowest.Seconds:f2} s ({_slowest.What}); most allocated {_largest.Bytes / 1e6:f0} MB "
        + $"({_largest.What}); of files of 256 KiB and more: {_secondsOfByte * 1e6:f2} us and {_allocatedOfByte:f0} bytes allocated for a "
        + $"byte; costliest bases: {string.Join(", ", Costliest())}");

    private IEnumerable<string> Costliest() => _bases.OrderByDescending(one => one.Value.Seconds).Take(6)
        .Select(one => string.Create(CultureInfo.InvariantCulture, $"{one.Key} {1000 * one.Value.Seconds / one.Value.Files:f1} ms"));
}
