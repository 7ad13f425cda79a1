using System.Text;

namespace Tracer.CommandLine;

/// <summary>A report as one HTML file that runs no script and loads nothing: how it begins and ends.</summary>
public static class StillPage
{
    /// <summary>Begins it: what follows is its body.</summary>
    /// <param name="title">What a browser calls it.</param>
    /// <param name="style">Its style sheet.</param>
    public static StringBuilder Begin(string title, string style) => new StringBuilder($"""
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>{title}</title>
        <style>
        {style}
        </style>

        """).Replace("\r\n", "\n");

    /// <summary>Ends it.</summary>
    /// <returns>The page as UTF-8.</returns>
    public static byte[] End(StringBuilder page)
    {
        ArgumentNullException.ThrowIfNull(page);
        return Encoding.UTF8.GetBytes(page.Append("</html>\n").ToString());
    }
}
