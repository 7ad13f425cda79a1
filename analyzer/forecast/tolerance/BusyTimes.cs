namespace Tracer.Forecast;

/// <summary>
/// The times in which a thread could not run on a CPU, as its waits tell: while one waits, none of its priority runs. Waits too short to be
/// among the series' peaks are left out.
/// </summary>
internal static class BusyTimes
{
    /// <summary>The times within a session, in order and without overlap.</summary>
    public static List<BusySpan> Of(LatencySeries series, LatencySession session)
    {
        var busy = new List<BusySpan>();
        foreach (LatencyPeak peak in series.Peaks.Where(peak => peak.TimeNs >= session.StartNs && peak.TimeNs < session.EndNs))
        {
            long end = Math.Min(session.EndNs, peak.TimeNs + Math.Min(peak.LatencyNs, session.EndNs));
            if (busy.Count > 0 && peak.TimeNs <= busy[^1].ToNs)
            {
                busy[^1] = new BusySpan(busy[^1].FromNs, Math.Max(busy[^1].ToNs, end));
            }
            else
            {
                busy.Add(new BusySpan(peak.TimeNs, end));
            }
        }

        return busy;
    }
}
