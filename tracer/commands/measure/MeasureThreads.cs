using System.CommandLine;
using Tracer.Capture.Driver.Install;
using Tracer.Measure;
using Tracer.Measure.Ground;
using Tracer.Measure.Measurements;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>The commands below <c>tracer measure</c> that measure timers, threads and the network stack.</summary>
internal static class MeasureThreads
{
    private static readonly Duration Minute = Duration.FromSeconds(60);
    private static readonly Duration Usual = Duration.FromSeconds(10);
    private static readonly Duration Shortest = Duration.FromMicroseconds(100);

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

    public static Command Wakeup(Func<IMeasureMachine>? machine, DriverMachine? driver)
    {
        Option<Duration?> interval = DurationOption.Create("--interval", "From one wake-up to the next.", Duration.FromMilliseconds(10));
        return new MeasureOptions(Usual, interval) { HasWakeups = true, IsDriverAided = true, Driver = driver }.Finish(
            new ExampleCommand(
                "wakeup",
                "How late a thread runs that wanted to be woken at a time, and after a time. On Windows the driver then measures as long, "
                + "where it is installed: interrupts, DPCs and threads (Bernadat 1999, Tables 10 to 12).",
                "tracer measure wakeup --interval 1ms --cpu 0",
                "tracer measure wakeup --events wakeups.etl"),
            machine,
            (parse, problems) =>
            {
                Duration length = MeasureCommand.Within(parse, interval, Shortest, Minute, problems);
                return () => new WakeupMeasurement(length);
            });
    }

    public static Command Switch(Func<IMeasureMachine>? machine) => new MeasureOptions(Duration.FromSeconds(2)).Finish(
        new ExampleCommand(
            "switch",
            "What it takes to go from one thread to another of the same priority on the same CPU (Drummond 2000, context switch).",
            "tracer measure switch"),
        machine,
        static (_, _) => static () => new SwitchMeasurement());

    public static Command Preemption(Func<IMeasureMachine>? machine) => new MeasureOptions(Duration.FromSeconds(2))
    {
        HasWakeups = true,
    }.Finish(
        new ExampleCommand(
            "preemption",
            "How long it takes until a higher thread runs that a lower one has woken on the same CPU (Drummond 2000, pre-emption).",
            "tracer measure preemption"),
        machine,
        static (_, _) => static () => new PreemptionMeasurement());

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

    public static Command Udp(Func<IMeasureMachine>? machine)
    {
        Option<Duration?> interval = DurationOption.Create("--interval", "From one packet to the next.", Duration.FromMilliseconds(10));
        return new MeasureOptions(Usual, interval) { HasPeer = true }.Finish(
            new ExampleCommand(
                "udp",
                "What the network stack takes from one process to another over the loopback interface or a network (after Bernadat 1999, "
                + "Tables 13 and 14).",
                "tracer measure udp --interval 1ms",
                "tracer measure udp --peer 192.168.1.20:7007"),
            machine,
            (parse, problems) =>
            {
                Duration length = MeasureCommand.Within(parse, interval, Shortest, Duration.FromMilliseconds(500), problems);
                return () => new UdpMeasurement(length);
            });
    }

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

    public static Command Operator(Func<IMeasureMachine>? machine)
    {
        Option<Duration?> period = DurationOption.Create(
            "--period", "From one command to the next, and the deadline.", Duration.FromMilliseconds(50));
        Option<long?> bytes = NumberOption.Create("--bytes", "N", "Size of a command.", 12, 60_000, 1_024);
        var screen = new Option<bool>("--screen") { Description = "Show each answer on a screen, and count until it is shown." };
        return new MeasureOptions(Usual, period, bytes, screen) { HasPeer = true }.Finish(
            new ExampleCommand(
                "operator",
                "Round trips of an operator's commands to another process, and missed deadlines (Ramamritham 1998, section 4, Tables 2 to "
                + "4).",
                "tracer measure operator --period 10ms --bytes 2048 --priority normal",
                "tracer measure operator --period 20ms --screen"),
            machine,
            (parse, problems) =>
            {
                Duration length = MeasureCommand.Within(parse, period, Shortest, Minute, problems);
                int size = (int)parse.GetValue(bytes)!.Value;
                bool isShown = parse.GetValue(screen);
                return () => new OperatorMeasurement(length, size, isShown);
            });
    }

    public static Command Background(Func<IMeasureMachine>? machine)
    {
        var trace = new Argument<string?>("TRACE")
        {
            Description = "A trace with context switches [default: this machine, as long as --duration].",
            Arity = ArgumentArity.ZeroOrOne,
        };
        var options = new MeasureOptions(Usual) { IsPriorityGiven = true, Input = parse => parse.GetValue(trace) };
        return options.Finish(
            new ExampleCommand(
                "background",
                "Which processes and threads ran, and how long at most within one second (Ramamritham 1998, section 3.3).",
                "tracer measure background trace.etl",
                "tracer measure background --duration 30min")
            {
                trace,
            },
            machine,
            (parse, _) => (here, request, stop) => MeasureOutput.Of(
                parse.GetValue(trace) is { } path
                    ? BackgroundTrace.Read(path)
                    : MeasureRun.Run(
                        here, request with { Priority = MeasurePriority.Normal }, static () => new BackgroundMeasurement(), stop)));
    }

    public static Command Interrupt(Func<IMeasureMachine>? machine, DriverMachine? driver)
    {
        Option<Duration?> interval = DurationOption.Create("--interval", "From one interrupt to the next.", Duration.FromMilliseconds(5));
        return new MeasureOptions(Usual, interval) { IsDriverAided = true, Driver = driver }.Finish(
            new ExampleCommand(
                "interrupt",
                "What a computing thread sees of a timer's interrupt, and of the interrupts that fall into a loop (Drummond 2000, "
                + "interrupt latency, figure 4). On Windows the driver then measures as long, where it is installed.",
                "tracer measure interrupt --cpu 1"),
            machine,
            (parse, problems) =>
            {
                Duration length = MeasureCommand.Within(parse, interval, Duration.FromMilliseconds(1), Minute, problems);
                return () => new InterruptMeasurement(length);
            });
    }

    public static Command Quantum(Func<IMeasureMachine>? machine) => new MeasureOptions(Usual).Finish(
        new ExampleCommand(
            "quantum",
            "How long one of two computing threads of one priority runs until the other has its turn: the round robin's time slice. The "
            + "CPU that computes serves little else meanwhile.",
            "tracer measure quantum --priority normal"),
        machine,
        static (_, _) => static () => new QuantumMeasurement());

    public static Command Interference(Func<IMeasureMachine>? machine) => new MeasureOptions(Usual) { HasPeer = true }.Finish(
        new ExampleCommand(
            "io-interference",
            "What is left of keyboard, disk and network beside a computing thread of the same real-time priority (Ramamritham 1998, "
            + "section 3.1). The CPU that computes serves little else meanwhile.",
            "tracer measure io-interference --duration 30s"),
        machine,
        static (_, _) => static () => new InterferenceMeasurement());
}
