namespace Tracer.Etl.Tests.Conformance;

/// <summary>Every event of every file of the corpus goes through the records and the decoder.</summary>
[Trait("Speed", "slow")]
public class FileDecodingTests
{
    [Fact]
    public void No_payload_is_too_short_for_its_version()
    {
        RepositoryFiles.Corpus();
        Assert.Equal(
            ShortPayloads.Explained.Keys.Order(StringComparer.Ordinal),
            FileDecoding.All.SelectMany(file => file.Short.Keys.Select(name => $"{file.File}: {name}")).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Every_event_is_decoded_or_named_or_unknown()
    {
        RepositoryFiles.Corpus();
        Every.Item(
            FileDecoding.All,
            file => Assert.Equal(file.Events, file.Decoded + file.Named + file.Unknown + file.Short.Values.Sum()));
    }

    [Fact]
    public void Kernel_records_of_synthetic_traces_are_all_known()
    {
        RepositoryFiles.Corpus();
        Every.Item(
            FileDecoding.All.Where(file => file.IsSynthetic),
            file => Assert.Equal((file.Events, 0L), (file.Decoded, file.BytesLeft)));
    }
}
