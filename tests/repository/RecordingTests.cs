using System.Xml.Linq;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>The recording profile for wpr that the documents offer is whole, and they name each keyword of it.</summary>
public class RecordingTests
{
    private static XElement Profiles =>
        XDocument.Load(Path.Combine(RepositoryFiles.Root, "samples", "latency.wprp")).Root!.Element("Profiles")!;

    [Fact]
    public void What_the_profile_refers_to_is_in_it()
    {
        string[] ids = [.. Profiles.Elements().Select(element => element.Attribute("Id")!.Value)];
        IEnumerable<string> references = Profiles.Descendants()
            .Where(element => element.Name.LocalName is "SystemCollectorId" or "SystemProviderId")
            .Select(element => element.Attribute("Value")!.Value)
            .Concat(Profiles.Elements().Attributes("Base").Select(attribute => attribute.Value));
        Assert.Empty(references.Except(ids));
        Every.Item(Profiles.Elements("Profile"), profile => Assert.Equal(
            $"{profile.Attribute("Name")!.Value}.{profile.Attribute("DetailLevel")!.Value}.{profile.Attribute("LoggingMode")!.Value}",
            profile.Attribute("Id")!.Value));
    }

    [Fact]
    public void The_document_says_what_each_keyword_is_for()
    {
        string document = File.ReadAllText(Path.Combine(RepositoryFiles.Root, "docs", "use", "recording.md"));
        IEnumerable<string> keywords = Profiles.Descendants("Keyword").Select(keyword => keyword.Attribute("Value")!.Value);
        Every.Item(keywords, keyword => Assert.Contains($"`{keyword}`", document));
    }
}
