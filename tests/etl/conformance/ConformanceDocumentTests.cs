namespace Tracer.Etl.Tests.Conformance;

/// <summary>The document says what the comparisons found.</summary>
[Trait("Speed", "long")]
public class ConformanceDocumentTests
{
    [Fact]
    public void The_document_says_what_was_found()
    {
        RepositoryFiles.Corpus();
        GoldenText.AssertEqual(Path.Combine("docs", "generated", "etl-conformance.md"), ConformanceDocument.Text());
    }
}
