using Tracer.Analysis.Contents;

namespace Tracer.Analysis.Tests.Contents;

/// <summary>Losses of several CPUs that overlap are one stretch.</summary>
public class LossStretchesTests
{
    private static readonly TraceClock Clock = new(TraceClockKind.Qpc, 1, 0, 0);

    [Fact]
    public void Those_of_one_kind_that_overlap_are_told_together()
    {
        TraceLoss[] losses =
        [
            new(0, long.MinValue, 5, LossKind.MissingBuffer), new(1, 1, 30, LossKind.EventsLost), new(2, 2, 9, LossKind.BufferLost),
            new(3, 4, 6, LossKind.MissingBuffer), new(0, 9, 11, LossKind.BufferLost), new(2, 20, 40, LossKind.EventsLost),
            new(null, 50, long.MaxValue, LossKind.EventsLost),
        ];
        Assert.Equal(
            [
                "from the start to 5 s on CPU 0, where a buffer is missing",
                "from 1 s to 40 s on CPUs 1 to 2, where the session lost events",
                "from 2 s to 11 s on CPUs 0, 2, where the session lost a buffer",
                "from 4 s to 6 s on CPU 3, where a buffer is missing",
                "from 50 s to the end on all CPUs, where the session lost events",
            ],
            LossStretches.Phrases(losses, Clock));
    }
}
