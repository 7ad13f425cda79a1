using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Tracer.Measure.Ground;
using static Tracer.Measure.Machine.WindowsNatives;
using static Tracer.Windows.ThreadNatives;

namespace Tracer.Measure.Machine;

/// <summary>The console that the program was started in: its keyboard and screen, both served by a process of normal priority.</summary>
[SupportedOSPlatform("windows")]
internal sealed unsafe class WindowsTerminal : IMeasureTerminal
{
    private const nint Invalid = -1;

    private readonly nint _keyboard = Open("CONIN$");
    private readonly nint _screen = Open("CONOUT$");

    /// <exception cref="MeasureException">The program has no console.</exception>
    public WindowsTerminal()
    {
        if (_keyboard == Invalid || _screen == Invalid)
        {
            string why = Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError());
            Dispose();
            throw new MeasureException($"Windows gives no console: {why}; start it in a console window");
        }
    }

    public void Press()
    {
        var key = new KeyInput { EventType = KeyEvent, IsDown = 1, RepeatCount = 1, VirtualKey = 'X', Character = 'x' };
        uint written;
        _ = WriteConsoleInputW(_keyboard, &key, 1, &written);
    }

    public void ReadKey()
    {
        KeyInput key;
        uint read;
        _ = ReadConsoleInputW(_keyboard, &key, 1, &read);
    }

    public void Show(ReadOnlySpan<byte> text)
    {
        fixed (byte* bytes = text)
        {
            uint written;
            _ = WriteFile(_screen, bytes, (uint)text.Length, &written, 0);
        }
    }

    public void Dispose()
    {
        _ = CloseHandle(_keyboard);
        _ = CloseHandle(_screen);
    }

    private static nint Open(string name)
    {
        fixed (char* characters = name)
        {
            return CreateFileW(characters, ReadAndWrite, ShareReadAndWrite, 0, OpenExisting, 0, 0);
        }
    }
}
