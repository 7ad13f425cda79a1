namespace Tracer.Analysis;

/// <summary>
/// From when on somebody is named, ranked and called certain, whatever the mechanism. What belongs to one mechanism stands on its page.
/// </summary>
internal static class Guilt
{
    /// <summary>
    /// With so many samples that show the same a stack is as good as a record: that chance put three samples into the code of one who has
    /// little of the time is less likely than one in a hundred at a share of a fifth.
    /// </summary>
    public const int SamplesForCertain = 3;

    /// <summary>Of ten samples inside so many must show the owner for him to be certain: else a second one has a third.</summary>
    public const int CertainOfTen = 7;

    /// <summary>So much of somebody's time must be as sure as he is called: the highest level that this part of it has.</summary>
    public const double SureOfTime = 0.5;

    /// <summary>A smaller share of all latency is there by chance, unless it is <see cref="LeastPartOfEpisode"/>.</summary>
    public const double LeastShare = 0.02;

    /// <summary>Who has such a part of one episode is named whatever his share of all: without him that episode had been another.</summary>
    public const double LeastPartOfEpisode = 0.25;

    /// <summary>
    /// The first culprit must own at least this part of what nobody owns for the verdict to be his: else one who is not known may well have
    /// the larger part.
    /// </summary>
    public const double LeastOfUnknown = 0.5;

    /// <summary>Not the first, but with such a share somebody is guilty too when he is asked for.</summary>
    public const double GuiltyShare = 0.25;

    /// <summary>With so much of the latency without an owner nobody can be called innocent, and the report says so.</summary>
    public const double MuchUnowned = 0.1;
}
