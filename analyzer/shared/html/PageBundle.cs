namespace Tracer.AnalyzerShared.Html;

/// <summary>What viewer/ builds for the page, as it stands in viewer/bundle/.</summary>
/// <param name="Licences">The licences of what others made of it.</param>
internal sealed record PageBundle(string Program, string Style, string Licences);
