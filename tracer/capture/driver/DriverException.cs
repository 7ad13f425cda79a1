namespace Tracer.Capture.Driver;

/// <summary>
/// Something about the driver that could not be done, with what to do about it. An <see cref="IOException"/>, so that commands tell it as
/// they tell a file that can't be read.
/// </summary>
public sealed class DriverException : IOException
{
    private DriverException(string message, int code = 0)
        : base(message) => Code = code;

    /// <summary>Win32 error of the call that failed; 0 where none did.</summary>
    public int Code { get; }

    /// <summary>The driver's reason, where it refused to start a run; else <see cref="DriverRefusal.None"/>.</summary>
    public DriverRefusal Refusal { get; private init; }

    /// <summary>The floor that the driver has measured; zero where it refused for another reason, or has measured none.</summary>
    public Duration Floor { get; private init; }

    /// <summary>A call of Windows failed.</summary>
    public static DriverException Of(DriverStep step, int code) => new(DriverErrorWords.Of(step, code), code);

    /// <param name="floor">Latency of the idle machine; zero where the driver has not measured it.</param>
    public static DriverException Refused(DriverRefusal refusal, Duration floor) =>
        new("the driver refused the run: " + DriverRefusalWords.Of(refusal, floor), Win32Error.RequestNotAccepted)
        {
            Refusal = refusal,
            Floor = floor,
        };

    /// <summary>A reply of the driver breaks the rules of the interface.</summary>
    public static DriverException BadReply(string reply, string fault) => new(
        $"the driver's {reply} can't be used: {fault}. Is it the driver that came with this program? "
        + "'tracer driver uninstall', then install that one");

    /// <summary>A failure of another kind, told in one sentence.</summary>
    public static DriverException Because(string message) => new(message);
}
