using Tracer.Analysis.Facts;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>A suspect that the user asked about, as the trace names it.</summary>
/// <param name="Image">A driver's image; null for other kinds, and where only its routines are known.</param>
internal sealed record NamedSuspect(string Name, CulpritKind Kind, LoadedImage? Image);

/// <summary>
/// Finds the suspect that the user means: a driver or process by file name, with or without extension and path, in any case; or one of the
/// culprits that are no file.
/// </summary>
internal sealed class SuspectNames
{
    private const int MostNearest = 3;
    private const double LeastLikeness = 0.4;

    private readonly List<NamedSuspect> _known = [];

    public SuspectNames(BlameFindings findings, IEnumerable<NamedEpisode> episodes, DriverTable table)
    {
        foreach (LoadedImage image in findings.Facts.Images.Images)
        {
            if (findings.Facts.Images.IsKernelAddress(image.Base))
            {
                bool isKernel = findings.Modules.RoleOf(image) == ModuleRole.Kernel;
                _known.Add(new NamedSuspect(image.Name, isKernel ? CulpritKind.Kernel : CulpritKind.Driver, image));
            }
        }

        _known.AddRange(episodes.SelectMany(episode => episode.Causes).Where(cause => cause is { Kind: not null, Name: not null })
            .DistinctBy(cause => (cause.Kind, cause.Name)).Select(cause => new NamedSuspect(cause.Name!, cause.Kind!.Value, cause.Image)));
        _known.AddRange(table.Rows.Where(row => row.IsKnown).Select(row => new NamedSuspect(row.Name, CulpritKind.Driver, null)));
        _known.AddRange(findings.Facts.Threads.Processes.Where(process => process.ImageName is not null)
            .Select(process => new NamedSuspect(process.ImageName!, CulpritKind.Process, null)));
        _known.Add(new NamedSuspect(CulpritName.HardwareOrFirmware, CulpritKind.Hardware, null));
        _known.Add(new NamedSuspect(CulpritName.Hypervisor, CulpritKind.Hardware, null));
        _known.Add(new NamedSuspect(CulpritName.PowerManagement, CulpritKind.Power, null));
        _known.Add(new NamedSuspect(CulpritName.HardPageFaults, CulpritKind.Kernel, null));
    }

    /// <summary>The suspect of a name; null where the trace has no such name.</summary>
    public NamedSuspect? Find(string asked)
    {
        string name = asked.Trim().Trim('"');
        string file = name[(name.LastIndexOfAny(['\\', '/']) + 1)..];
        return _known.Find(known => IsSame(known.Name, name))
            ?? _known.Find(known => IsSame(known.Name, file))
            ?? _known.Find(known => IsSame(WithoutEnding(known.Name), WithoutEnding(file)));
    }

    /// <summary>The names most similar to one that the trace does not have, by shared letters and pairs of letters.</summary>
    public IReadOnlyList<string> NearestTo(string asked)
    {
        string letters = Letters(asked);
        return
        [
            .. _known.Select(known => known.Name).Distinct(StringComparer.OrdinalIgnoreCase)
                .Select(name => (Name: name, Likeness: Likeness(letters, Letters(name)))).Where(one => one.Likeness >= LeastLikeness)
                .OrderByDescending(one => one.Likeness).ThenBy(one => one.Name, StringComparer.OrdinalIgnoreCase).Take(MostNearest)
                .Select(one => one.Name),
        ];
    }

    private static bool IsSame(string one, string other) =>
        other.Length > 0 && string.Equals(one, other, StringComparison.OrdinalIgnoreCase);

    private static string WithoutEnding(string name) => name.LastIndexOf('.') is > 0 and var dot ? name[..dot] : name;

    private static string Letters(string name) => WithoutEnding(name[(name.LastIndexOfAny(['\\', '/']) + 1)..]).ToUpperInvariant();

    /// <summary>0 for nothing in common, 1 for equal: half by letters, so that swapped ones count, and half by pairs of letters.</summary>
    private static double Likeness(string one, string other) =>
        (Shared(one.Order(), other.Order()) + Shared(Pairs(one).Order(), Pairs(other).Order())) / 2;

    private static IEnumerable<(char First, char Second)> Pairs(string letters) =>
        (" " + letters).Zip(letters, (first, second) => (first, second));

    /// <summary>The part of their elements that two sorted lists share, from 0 to 1.</summary>
    private static double Shared<T>(IEnumerable<T> one, IEnumerable<T> other)
        where T : IComparable<T>
    {
        T[] left = [.. one];
        T[] right = [.. other];
        int shared = 0;
        for (int i = 0, k = 0; i < left.Length && k < right.Length;)
        {
            int order = left[i].CompareTo(right[k]);
            shared += order == 0 ? 1 : 0;
            i += order <= 0 ? 1 : 0;
            k += order >= 0 ? 1 : 0;
        }

        return left.Length + right.Length == 0 ? 0 : 2.0 * shared / (left.Length + right.Length);
    }
}
