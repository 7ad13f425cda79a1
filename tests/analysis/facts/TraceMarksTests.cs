using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>Marks that people set while a trace was recorded.</summary>
public class TraceMarksTests
{
    [Fact]
    public void Marks_are_kept_by_time_with_their_names()
    {
        var marks = new TraceMarks();
        MadeEvent.Give(MadeEvent.Kernel(0x0F22, 0, 20, "  second \0rest"u8.ToArray()), marks.Add);
        MadeEvent.Give(MadeEvent.Kernel(0x0F22, 0, 10, "first"u8.ToArray()), marks.Add);
        MadeEvent.Give(MadeEvent.Kernel(0x0F2E, 2, 10, new byte[16]), marks.Add);
        MadeEvent.Give(MadeEvent.Kernel(0x0F22, 0, 30, []), marks.Add);
        Assert.Equal([new TraceMark(10, "first"), new TraceMark(20, "second"), new TraceMark(30, "")], marks.All);
    }

    [Fact]
    public void No_more_marks_are_kept_than_anybody_sets()
    {
        var marks = new TraceMarks();
        for (int i = 0; i < 5000; i++)
        {
            MadeEvent.Give(MadeEvent.Kernel(0x0F22, 0, i + 1, "x"u8.ToArray()), marks.Add);
        }

        Assert.Equal(4096, marks.All.Count);
    }
}
