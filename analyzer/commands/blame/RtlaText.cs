namespace Tracer.AnalyzerCommand.Commands.Blame;

/// <summary>
/// Prints episodes in the layout of the auto-analysis of Linux' <c>rtla timerlat -a</c>, for scripts and people that know that: a block for
/// each episode, the worst first. What delays an interrupt (blackout, hypervisor, idle state, the timer
/// itself) is the delay of the IRQ handler; ISRs are IRQ interference, DPCs softirq interference; kernel code that kept the CPU at raised
/// IRQL or spun is the blocking thread; threads, page faults and the scheduler are thread interference. What is unexplained has a line of
/// its own. The layout has no word for unknown: what the trace does not tell is 0 there.
/// </summary>
internal static class RtlaText
{
    private const int StackLines = 8;

    /// <summary>From so long on rtla says that the CPU had to come out of an idle state.</summary>
    private static readonly Duration IdleExitShown = Duration.FromMicroseconds(10);

    private static readonly Mechanism[] DelaysInterrupt =
        [Mechanism.Blackout, Mechanism.Hypervisor, Mechanism.IdleExit, Mechanism.TimerTick];

    public static void Write(BlameReport report, int top, TextWriter output)
    {
        Episode[] worst = [.. report.Episodes.OrderByDescending(episode => episode.Latency).ThenBy(episode => episode.Id).Take(top)];
        if (worst.Length == 0)
        {
            return;
        }

        Line(output, "rtla timerlat hit stop tracing");
        foreach (Episode episode in worst)
        {
            Write(episode, output);
        }

        (Duration Time, Episode Episode) idle = worst.Select(episode => (TimeOf(episode, Mechanism.IdleExit), episode))
            .MaxBy(one => one.Item1);
        if (idle.Time > Duration.Zero)
        {
            Line(output, "");
            Line(output, Text($"Max timerlat IRQ latency from idle: {Us(idle.Time)} us in cpu {idle.Episode.Cpu ?? 0}"));
        }
    }

    private static void Write(Episode episode, TextWriter output)
    {
        Duration delay = TimeOf(episode, DelaysInterrupt);
        bool isIrq = episode.Probe == ProbeKind.Gap && episode.Causes.All(cause => DelaysInterrupt.Contains(cause.Mechanism));
        string idle = TimeOf(episode, Mechanism.IdleExit) > IdleExitShown ? "(exit from idle)" : "";
        Line(output, Text($"## CPU {episode.Cpu ?? 0} hit stop tracing, analyzing it ##"));
        Line(output, Text($"  IRQ handler delay: {"",16} {idle,16}  {Us(delay),9} us ({Percent(delay, episode)} %)"));
        Duration latency = isIrq ? episode.Latency : episode.Phases?.Interrupt ?? delay;
        Line(output, Text($"  IRQ latency: {"",40} {Us(latency),9} us"));
        if (isIrq)
        {
            Line(output, "  Blocking thread:");
            Line(output, Text($" {"",6} {Blocking(episode)}"));
        }
        else
        {
            Line(output, Text($"  Timerlat IRQ duration: {"",30} {0m,9:0.00} us (0.00 %)"));
            Duration blocked = TimeOf(episode, Mechanism.RaisedIrql, Mechanism.SpinWait);
            Line(output, Text($"  Blocking thread: {"",36} {Us(blocked),9} us ({Percent(blocked, episode)} %)"));
            Line(output, Text($" {"",6} {Blocking(episode)} {"",12} {Us(blocked),9} us"));
        }

        WriteSamples(episode, output);
        if (!isIrq)
        {
            WriteInterference("IRQ", 36, episode, output, Mechanism.Isr);
            WriteInterference("Softirq", 32, episode, output, Mechanism.Dpc, Mechanism.DpcDeferred);
            WriteInterference("Thread", 33, episode, output, Mechanism.Thread, Mechanism.Paging, Mechanism.Scheduler);
        }

        if (episode.Unexplained > Duration.Zero)
        {
            Line(output, Text($"  Unexplained: {"",40} {Us(episode.Unexplained),9} us ({Percent(episode.Unexplained, episode)} %)"));
        }

        Line(output, "------------------------------------------------------------------------");
        Line(output, Text($"  {(isIrq ? "   IRQ" : "Thread")} latency: {"",37} {Us(episode.Latency),9} us (100%)"));
    }

    /// <summary>Who kept the CPU without letting others in: name and, as far as is known here, id 0.</summary>
    private static string Blocking(Episode episode)
    {
        Cause? main = episode.Causes.FirstOrDefault(cause => cause.Mechanism is Mechanism.RaisedIrql or Mechanism.SpinWait)
            ?? episode.Causes.FirstOrDefault(cause => cause.Mechanism is Mechanism.Blackout or Mechanism.Hypervisor);
        return Text($"{(main is null ? "<...>" : Name(main)),24}:{0,-9}");
    }

    /// <summary>What samples hit stands where rtla has the stack of the thread that was interrupted.</summary>
    private static void WriteSamples(Episode episode, TextWriter output)
    {
        if (!episode.Causes.Any(cause => cause.Mechanism is Mechanism.RaisedIrql or Mechanism.SpinWait or Mechanism.Blackout)
            || episode.Samples.Functions.Count == 0)
        {
            return;
        }

        Line(output, "    Blocking thread stack trace");
        foreach (SampledFunction function in episode.Samples.Functions.Take(StackLines))
        {
            string name = function.Function is { } known
                ? known.StartsWith('+') ? function.Module + known : $"{function.Module}!{known}"
                : function.Module ?? "<...>";
            Line(output, Text($" {"",14} -> {Word(name)}"));
        }
    }

    private static void WriteInterference(
        string what, int blanks, Episode episode, TextWriter output, params Mechanism[] mechanisms)
    {
        Duration time = TimeOf(episode, mechanisms);
        if (time <= Duration.Zero)
        {
            return;
        }

        Line(output, Text($"  {what} interference {new string(' ', blanks)} {Us(time),9} us ({Percent(time, episode)} %)"));
        foreach (Cause cause in episode.Causes)
        {
            if (mechanisms.Contains(cause.Mechanism))
            {
                string id = what == "Thread" ? "0".PadRight(12) + new string(' ', 17) : "0".PadRight(3) + new string(' ', 26);
                Line(output, Text($"  {Name(cause),24}:{id}{Us(cause.Time),9} us"));
            }
        }
    }

    private static Duration TimeOf(Episode episode, params Mechanism[] mechanisms)
    {
        Duration time = Duration.Zero;
        foreach (Cause cause in episode.Causes)
        {
            time = mechanisms.Contains(cause.Mechanism) ? time + cause.Time : time;
        }

        return time;
    }

    /// <summary>An owner as one word: parsers look for blanks and for the last colon.</summary>
    private static string Name(Cause cause) => Word(cause.Culprit ?? KebabCase.Of(cause.Mechanism));

    private static string Word(string name) =>
        name.Length == 0 ? "<...>" : string.Concat(name.Select(letter => letter <= ' ' || char.IsControl(letter) ? '_' : letter));

    private static string Us(Duration time) => time.Microseconds.ToString("0.00", CultureInfo.InvariantCulture);

    private static string Percent(Duration part, Episode episode) =>
        (100 * ReportWords.Share(part.Nanoseconds, episode.Latency.Nanoseconds)).ToString("0.00", CultureInfo.InvariantCulture);

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static void Line(TextWriter output, string text)
    {
        output.Write(text.TrimEnd());
        output.Write('\n');
    }
}
