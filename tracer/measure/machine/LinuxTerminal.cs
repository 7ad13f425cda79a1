using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Tracer.Measure.Ground;
using static Tracer.Measure.Machine.LinuxNatives;

namespace Tracer.Measure.Machine;

/// <summary>A pseudo terminal: what is written on one side is keys on the other, and what is shown there is read on this one.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class LinuxTerminal : IMeasureTerminal
{
    private const int NameBytes = 128;
    private const int ScreenBytes = 4_096;

    private readonly int _keyboard;
    private readonly int _program;
    private readonly Thread _screen;

    /// <exception cref="MeasureException">The system has none.</exception>
    public LinuxTerminal()
    {
        byte* name = stackalloc byte[NameBytes];
        byte* settings = stackalloc byte[TerminalSettingsBytes];
        _keyboard = posix_openpt(ReadAndWrite | NoControllingTerminal | CloseOnExecute);
        _program = -1;
        if (_keyboard < 0 || grantpt(_keyboard) != 0 || unlockpt(_keyboard) != 0 || ptsname_r(_keyboard, name, NameBytes) != 0
            || (_program = open(name, ReadAndWrite | NoControllingTerminal | CloseOnExecute)) < 0
            || tcgetattr(_program, settings) != 0)
        {
            string why = Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError());
            Close();
            throw new MeasureException($"the system gives no pseudo terminal: {why}; mount devpts at /dev/pts");
        }

        // Each key by itself, without an echo.
        cfmakeraw(settings);
        _ = tcsetattr(_program, 0, settings);
        _screen = new Thread(Draw) { IsBackground = true, Name = "screen" };
        _screen.Start();
    }

    public void Press()
    {
        byte key = (byte)'x';
        _ = write(_keyboard, &key, 1);
    }

    public void ReadKey()
    {
        byte key;
        _ = read(_program, &key, 1);
    }

    public void Show(ReadOnlySpan<byte> text)
    {
        fixed (byte* bytes = text)
        {
            _ = write(_program, bytes, (nuint)text.Length);
        }
    }

    public void Dispose()
    {
        // The other side then reads an end, and stops.
        _ = close(_program);
        _screen.Join();
        _ = close(_keyboard);
    }

    /// <summary>Takes what is shown, at normal priority, as a window does.</summary>
    private void Draw()
    {
        byte* bytes = stackalloc byte[ScreenBytes];
        while (read(_keyboard, bytes, ScreenBytes) > 0)
        {
        }
    }

    private void Close()
    {
        if (_program >= 0)
        {
            _ = close(_program);
        }

        if (_keyboard >= 0)
        {
            _ = close(_keyboard);
        }
    }
}
