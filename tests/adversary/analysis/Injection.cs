using static Tracer.Adversary.KernelRecords;

namespace Tracer.Adversary;

/// <summary>Names that try to be more than names where they are shown.</summary>
internal static class Injection
{
    /// <summary>
    /// Escape sequences of terminals (CSI, OSC with a link, C1), line ends and separators, text direction, zero width, formulas of
    /// spreadsheets,
    /// ends of strings of JSON and HTML, halves of surrogate pairs, nothing at all.
    /// </summary>
    private static readonly string[] Tricks =
    [
        "\u001b[2J\u001b[1;1Hclean", "\u001b]8;;http://example.invalid\u0007link\u001b]8;;\u0007", "\u009b31mred",
        "a\r\nb", "a\u2028b\u2029c\u0085d",
        "\u202egpj.sys", "\u2066x\u2069", "a\u200bb\u200d\ufeff", "=cmd|'/c calc'!A0", "+1+1", "-2+3", "@SUM(A1)",
        "\t=1", "\";\"},{\"x\":\"",
        "</script><script>alert(1)</script>", "\ud800", "\udc00\ud800", "", " ", "\0", "a\0b",
        "%n%s", "{0}", "\\", "../../x", "\u0007\b\u007f",
    ];

    /// <summary>Each trick as the name of an image, a process, a provider, an event and its fields, and as text in one.</summary>
    public static byte[] Of(int bytes) => AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
    {
        int count = Math.Max(Tricks.Length, bytes / 700);
        for (int number = 0; number < count; number++)
        {
            string trick = Tricks[number % Tricks.Length];
            writer.Image(number, @"\SystemRoot\" + trick + (number < Tricks.Length ? ".sys" : $"{number}.sys"));
            writer.Process(4 * (uint)(number + 1), trick + ".exe");
            writer.Thread(4 * (uint)(number + 1), (4 * (uint)(number + 1)) + 1, 24);
        }

        uint ran = 0;
        for (int number = 0; number < count; number++)
        {
            string trick = Tricks[number % Tricks.Length];
            long at = number * 3 * Millisecond;
            uint thread = (4 * (uint)(number + 1)) + 1;
            writer.Ready(0, at, thread);
            writer.Dpc(0, at, at + Millisecond, Code(number));
            writer.Switch(0, at + Millisecond + 1, ran, 24, thread, 24);
            ran = thread;
            var schema = new TraceLoggingEventSchema(
                new TraceLoggingProvider(NoNul(trick)), NoNul(trick),
                [new TraceLoggingField(NoNul(trick), TraceLoggingInType.UnicodeString)]);
            byte[] text = new byte[(2 * trick.Length) + 2];
            System.Text.Encoding.Unicode.GetBytes(trick, text);
            writer.Write(0, schema.Header(Time(at + Millisecond + 2), 4, 8), text, schema.Items);
        }
    });

    private static string NoNul(string name) => name.Replace("\0", "", StringComparison.Ordinal);
}
