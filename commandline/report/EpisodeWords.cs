namespace Tracer.CommandLine;

/// <summary>The words for an episode: when, where, who waited, and who owns a cause.</summary>
public static class EpisodeWords
{
    /// <summary>
    /// When it began, in seconds as the report counts them, and by the clock of the machine: <c>at 1.875393 s (18:36:40.250)</c>.
    /// </summary>
    public static string When(Episode episode, TraceSummary trace)
    {
        ArgumentNullException.ThrowIfNull(trace);
        ArgumentNullException.ThrowIfNull(episode);
        decimal seconds = episode.Start.Nanoseconds / 1_000_000_000m;
        string clock = episode.StartUtc is { } utc && UtcOffset.LocalOf(utc, trace.UtcOffsetMinutes ?? 0) is { } there
            ? $" ({there.ToString("HH:mm:ss.fff", CultureInfo.InvariantCulture)})"
            : "";
        return $"at {seconds.ToString("#,0.000000", CultureInfo.InvariantCulture)} s{clock}";
    }

    /// <summary>The CPU that the victim waited for.</summary>
    public static string Where(Episode episode)
    {
        ArgumentNullException.ThrowIfNull(episode);
        return episode.Cpu is { } cpu ? $"CPU {cpu.ToString(CultureInfo.InvariantCulture)}" : "CPU not known";
    }

    /// <summary>Who waited: a thread with its process, or a CPU.</summary>
    public static string Victim(Episode episode)
    {
        ArgumentNullException.ThrowIfNull(episode);
        string probe = ReportWords.MeaningOf(episode.Probe);
        if (episode.Thread is not { } thread)
        {
            return episode.LateTimer ? "the timer that serves the measured wake-ups of all CPUs was late" : probe;
        }

        string pid = thread.Pid is { } id ? $" ({id.ToString(CultureInfo.InvariantCulture)})" : "";
        string priority = thread.Priority is { } level ? $", priority {level.ToString(CultureInfo.InvariantCulture)}" : "";
        return $"{probe}: {thread.Process ?? "process not known"}{pid}, tid {thread.Tid.ToString(CultureInfo.InvariantCulture)}{priority}";
    }

    /// <summary>The parts of the way, those that were measured; null where none was.</summary>
    public static string? Phases(Episode episode)
    {
        ArgumentNullException.ThrowIfNull(episode);
        if (episode.Phases is not { } phases)
        {
            return null;
        }

        string?[] parts =
        [
            phases.Interrupt is { } interrupt ? $"to the ISR {ReadableDuration.Of(interrupt)}" : null,
            phases.Dpc is { } dpc ? $"to the DPC {ReadableDuration.Of(dpc)}" : null,
            phases.Thread is { } thread ? $"to the thread {ReadableDuration.Of(thread)}" : null,
        ];
        string text = string.Join(", ", parts.Where(part => part is not null));
        return text.Length == 0 ? null : text;
    }

    /// <summary>How a job went, in one line; null where the episode is none.</summary>
    public static string? Job(Episode episode)
    {
        ArgumentNullException.ThrowIfNull(episode);
        if (episode.Job is not { } job)
        {
            return null;
        }

        string?[] parts =
        [
            job is { Due: { } due, Ready: { } late } ? $"ready {ReadableDuration.Of(late - due)} after it was due" : null,
            job.Ready is { } ready ? $"ran {ReadableDuration.Of(job.Run - ready)} later" : "when it was made ready is not recorded",
            $"worked for {ReadableDuration.Of(job.Work)}",
            $"done {ReadableDuration.Of(job.End - (job.Due ?? job.Ready ?? job.Run))} after it should have run",
            job.Deadline is not { } deadline ? null
                : job.End > deadline ? $"{ReadableDuration.Of(job.End - deadline)} after its deadline"
                : "in time for its deadline",
        ];
        return string.Join(", ", parts.Where(part => part is not null));
    }

    /// <summary>The threads between the victim and a cause; null where there is none.</summary>
    public static string? Through(Cause cause)
    {
        ArgumentNullException.ThrowIfNull(cause);
        return cause.Chain is not { Count: > 0 } chain
            ? null
            : "through " + string.Join(", then ", chain.Select(link =>
                $"{link.Process ?? "a process not known"}, tid {link.Thread.ToString(CultureInfo.InvariantCulture)}, which {link.Why}"));
    }

    /// <summary>The way of the wake-up in one line; null where it is not known.</summary>
    public static string? Chain(Episode episode)
    {
        ArgumentNullException.ThrowIfNull(episode);
        if (episode.Chain is not { } chain)
        {
            return null;
        }

        string interrupt = chain.InterruptRoutine is { } routine ? $"interrupt {routine} -> " : "";
        return $"{interrupt}{Enqueued(chain)} -> {ReadableDuration.Of(chain.DpcStart)} -> DPC {chain.DpcRoutine} -> "
            + $"{ReadableDuration.Of(chain.Ready - chain.DpcStart)} -> ready -> {ReadableDuration.Of(chain.Run - chain.Ready)} -> ran";
    }

    /// <summary>How the DPC of a wake-up was queued: <c>queued for CPU 1, importance low, depth 2</c>.</summary>
    public static string Enqueued(WakeupChain chain)
    {
        ArgumentNullException.ThrowIfNull(chain);
        string cpu = chain.TargetCpu.ToString(CultureInfo.InvariantCulture);
        return $"queued for CPU {cpu}, importance {chain.Importance}, depth {chain.QueueDepth.ToString(CultureInfo.InvariantCulture)}";
    }

    /// <summary>Who owns a cause; a dash where there is nobody to own it.</summary>
    public static string OwnerOf(Cause cause)
    {
        ArgumentNullException.ThrowIfNull(cause);
        return cause.Culprit ?? (NeedsOwner(cause.Mechanism) ? "owner unknown" : "-");
    }

    /// <summary>Whether somebody must be behind a mechanism, so that not to know whom is a lack.</summary>
    public static bool NeedsOwner(Mechanism mechanism) =>
        mechanism is not (Mechanism.Unexplained or Mechanism.TimerTick or Mechanism.Scheduler or Mechanism.IdleExit);
}
