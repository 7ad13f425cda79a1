namespace Tracer.Analysis.Latencies;

/// <summary>
/// The machines beside each other, as OSDI'99 Table 2 has them, from what their traces tell: a distribution without its machine says
/// little.
/// </summary>
internal static class SystemTable
{
    /// <summary>The rows that at least one trace tells.</summary>
    public static IReadOnlyList<SystemRow> Of(IReadOnlyList<TraceSummary> traces)
    {
        (string Name, Func<TraceSummary, string?> Of)[] rows =
        [
            ("trace", trace => Path.GetFileName(trace.Path) is { Length: > 0 } name ? name : trace.Path),
            ("recorded", trace => trace.StartUtc?.ToString("yyyy-MM-dd HH:mm:ss 'UTC'", CultureInfo.InvariantCulture)),
            ("length", trace => trace.Duration is { } length ? ReadableDuration.Of(length) : null),
            ("OS version", trace => trace.OsBuild is { } build ? Text($"Windows build {build}, {trace.PointerBits}-bit") : null),
            ("model", trace => trace.Machine.Model),
            ("firmware", trace => trace.Machine.Firmware),
            ("processor", trace => trace.Machine.Cpu),
            ("speed", trace => trace.Machine.Mhz is { } mhz ? Text($"{mhz} MHz") : null),
            ("logical processors", trace => trace.Cpus is { } cpus ? Text($"{cpus}") : null),
            ("memory", trace => trace.Machine.MemoryMb is { } memory ? Text($"{memory} MiB") : null),
            ("hypervisor", trace => trace.Machine.Hypervisor is { } on ? on ? "yes" : "no" : null),
            ("hard drives", trace => Joined(trace.Machine.Disks)),
            ("graphics", trace => Joined(trace.Machine.Video)),
            ("network", trace => Joined(trace.Machine.Nics)),
            ("clock", trace => trace.Clock is { } clock ? KebabCase.Of(clock) : null),
        ];
        return
        [
            .. rows.Select(row => new SystemRow(row.Name, [.. traces.Select(row.Of)]))
                .Where(row => row.Values.Any(value => value is not null)),
        ];
    }

    private static string? Joined(IReadOnlyList<string> names) => names.Count > 0 ? string.Join("; ", names) : null;

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
