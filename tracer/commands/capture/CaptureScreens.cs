using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Capture;

internal static class CaptureScreens
{
    /// <summary>
    /// JSON lines where they are asked for; a live screen on a terminal that can move its cursor, without colours where <c>NO_COLOR</c> is
    /// set; plain lines everywhere else.
    /// </summary>
    /// <param name="output">Standard output, or what stands for it.</param>
    /// <param name="error">Standard error, or what stands for it.</param>
    /// <param name="hasKeys">Whether somebody reads keys while a live screen is shown.</param>
    public static ICaptureScreen For(bool isJson, TextWriter output, TextWriter error, bool hasKeys = false)
    {
        if (isJson)
        {
            return new JsonScreen(output);
        }

        return Terminal.Of(output) is { } console && console.Profile.Capabilities.Ansi
            ? new LiveScreen(console, hasKeys)
            : new PlainScreen(output, error);
    }
}
