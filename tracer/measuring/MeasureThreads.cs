using System.CommandLine;
using Tracer.CommandLine;
using Tracer.Contract;
using Tracer.Measure;

namespace Tracer.TracerCommand;

/// <summary>The commands below <c>tracer measure</c> that measure timers, threads and the network stack.</summary>
internal static class MeasureThreads
{
    private static readonly Duration Minute = Duration.FromSeconds(60);
    private static readonly Duration Usual = Duration.FromSeconds(10);
    private static readonly Duration Shortest = Duration.FromMicroseconds(100);

    /// <summary><c>timer</c>.</summary>
    public static Command Timer(Func<IMeasureMachine>? machine)
    {
        Option<Duration?> period = DurationOption.Create("--period", "Period of the timer.", Duration.FromMilliseconds(1));
        return new MeasureOptions(Usual, period).Finish(
            new ExampleCommand(
                "timer",
                "What lies between the expiries of a periodic timer (Bernadat 1999, Table 9; Jones and Regehr 1999, Tables 1 to 3).",
                "tracer measure timer --period 1ms",
                "tracer measure timer --period 5ms --duration 15min"),
            machine,
            (parse, problems) =>
            {
                Duration length = MeasureCommand.Within(parse, period, Shortest, Minute, problems);
                return () => new TimerMeasurement(length);
            });
    }

    /// <summary><c>wakeup</c>.</summary>
    public static Command Wakeup(Func<IMeasureMachine>? machine)
    {
        Option<Duration?> interval = DurationOption.Create("--interval", "From one wake-up to the next.", Duration.FromMilliseconds(10));
        return new MeasureOptions(Usual, interval).Finish(
            new ExampleCommand(
                "wakeup",
                "How late a thread runs that wanted to be woken at a time, and after a time. Interrupts and DPCs are measured by the "
                + "driver: 'tracer driver start'.",
                "tracer measure wakeup --interval 1ms --cpu 0"),
            machine,
            (parse, problems) =>
            {
                Duration length = MeasureCommand.Within(parse, interval, Shortest, Minute, problems);
                return () => new WakeupMeasurement(length);
            });
    }

    /// <summary><c>switch</c>.</summary>
    public static Command Switch(Func<IMeasureMachine>? machine) => new MeasureOptions(Duration.FromSeconds(2)).Finish(
        new ExampleCommand(
            "switch",
            "What it takes to go from one thread to another of the same priority on the same CPU (Drummond 2000, context switch).",
            "tracer measure switch"),
        machine,
        static (_, _) => static () => new SwitchMeasurement());

    /// <summary><c>preemption</c>.</summary>
    public static Command Preemption(Func<IMeasureMachine>? machine) => new MeasureOptions(Duration.FromSeconds(2)).Finish(
        new ExampleCommand(
            "preemption",
            "How long it takes until a higher thread runs that a lower one has woken on the same CPU (Drummond 2000, pre-emption).",
            "tracer measure preemption"),
        machine,
        static (_, _) => static () => new PreemptionMeasurement());

    /// <summary><c>syscalls</c>.</summary>
    public static Command Calls(Func<IMeasureMachine>? machine)
    {
        Option<long?> calls = NumberOption.Create("--calls", "N", "How often each is called, if there is time.", 10, 1_000_000, 1_000);
        return new MeasureOptions(Usual, calls).Finish(
            new ExampleCommand(
                "syscalls",
                "What calls of the system about processes, threads and time take, the 90th percentile (Ramamritham 1998, Table 1).",
                "tracer measure syscalls --priority normal"),
            machine,
            (parse, _) =>
            {
                int times = (int)parse.GetValue(calls)!.Value;
                return () => new CallsMeasurement(times);
            });
    }

    /// <summary><c>udp</c>.</summary>
    public static Command Udp(Func<IMeasureMachine>? machine)
    {
        Option<Duration?> interval = DurationOption.Create("--interval", "From one packet to the next.", Duration.FromMilliseconds(10));
        return new MeasureOptions(Usual, interval).Finish(
            new ExampleCommand(
                "udp",
                "What the network stack takes from one thread to another over the loopback interface (after Bernadat 1999, Tables 13 "
                + "and 14).",
                "tracer measure udp --interval 1ms"),
            machine,
            (parse, problems) =>
            {
                Duration length = MeasureCommand.Within(parse, interval, Shortest, Duration.FromMilliseconds(500), problems);
                return () => new UdpMeasurement(length);
            });
    }

    /// <summary><c>deadline</c>.</summary>
    public static Command Deadline(Func<IMeasureMachine>? machine)
    {
        Option<Duration?> period = DurationOption.Create("--period", "The period, and the deadline.", Duration.FromMilliseconds(16));
        Option<Duration?> work = DurationOption.Create("--work", "What is computed in each period.", Duration.FromMilliseconds(4));
        return new MeasureOptions(Usual, period, work).Finish(
            new ExampleCommand(
                "deadline",
                "How often a thread that computes in each period is not done in time (Cota-Robles and Held 1999, section 6.1).",
                "tracer measure deadline --period 4ms --work 1ms --priority normal"),
            machine,
            (parse, problems) =>
            {
                Duration length = MeasureCommand.Within(parse, period, Shortest, Minute, problems);
                Duration busy = MeasureCommand.Within(parse, work, Duration.FromMicroseconds(1), length, problems);
                return () => new DeadlineMeasurement(length, busy);
            });
    }

    /// <summary><c>operator</c>.</summary>
    public static Command Operator(Func<IMeasureMachine>? machine)
    {
        Option<Duration?> period = DurationOption.Create(
            "--period", "From one command to the next, and the deadline.", Duration.FromMilliseconds(50));
        Option<long?> bytes = NumberOption.Create("--bytes", "N", "Size of a command.", 1, 60_000, 1_024);
        return new MeasureOptions(Usual, period, bytes).Finish(
            new ExampleCommand(
                "operator",
                "Round trips of an operator's commands over the loopback interface (Ramamritham 1998, section 4, Tables 2 and 3).",
                "tracer measure operator --period 10ms --bytes 2048 --priority normal"),
            machine,
            (parse, problems) =>
            {
                Duration length = MeasureCommand.Within(parse, period, Shortest, Minute, problems);
                int size = (int)parse.GetValue(bytes)!.Value;
                return () => new OperatorMeasurement(length, size);
            });
    }
}
