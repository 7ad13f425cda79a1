using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>From a thread and a time to its process and that one's name, though ids are used again.</summary>
public class ThreadTableTests
{
    private const ushort ProcessStart = 0x0301;
    private const ushort ProcessEnd = 0x0302;
    private const ushort ProcessDCStart = 0x0303;
    private const ushort ProcessDCEnd = 0x0304;
    private const ushort ThreadStart = 0x0501;
    private const ushort ThreadEnd = 0x0502;
    private const ushort ThreadDCStart = 0x0503;
    private const ushort ThreadDCEnd = 0x0504;

    [Fact]
    public void A_thread_id_that_is_used_again_is_told_apart_by_time()
    {
        ThreadTable table = Table(
            Thread(ThreadStart, 500, 200, 40),
            Thread(ThreadEnd, 300, 100, 40),
            Thread(ThreadDCEnd, 900, 200, 40, priority: 15));
        Assert.Equal(100u, table.ProcessOf(40, 1));
        Assert.Equal(100u, table.ProcessOf(40, 310)); // It runs on for a little behind its end record.
        Assert.Equal(200u, table.ProcessOf(40, 500));
        Assert.Equal([(long.MinValue, 300L), (500L, long.MaxValue)], table.Threads.Select(life => (life.FromTicks, life.ToTicks)));
        Assert.Equal((15, 3UL, null), (table.Find(40, 600)!.BasePriority, table.Find(40, 600)!.Affinity, table.Find(40, 600)!.Name));
    }

    [Fact]
    public void A_thread_of_the_rundown_was_there_before_the_trace()
    {
        ThreadTable table = Table(Thread(ThreadDCStart, 50, 100, 40), Thread(ThreadDCEnd, 60, 100, 44));
        Assert.Equal((100u, 100u), (table.ProcessOf(40, 1), table.ProcessOf(44, 1)));
        Assert.Null(table.ProcessOf(48, 1));
    }

    [Fact]
    public void The_idle_thread_and_the_system_have_their_ids_on_every_system()
    {
        ThreadTable table = Table();
        Assert.Equal((0u, "Idle", "System", null), (table.ProcessOf(0, 1), table.NameOf(0, 1), table.NameOf(4, 1), table.NameOf(8, 1)));
    }

    [Fact]
    public void Names_are_those_of_the_process_that_had_the_id_then()
    {
        ThreadTable table = Table(
            Process(ProcessDCStart, 10, 100, "old.exe", key: 1),
            Process(ProcessEnd, 200, 100, "old.exe", key: 1),
            Process(ProcessStart, 300, 100, "ne\u0007w.exe", key: 2),
            Process(ProcessDCEnd, 900, 100, "new.exe", key: 2),
            Process(ProcessDCEnd, 900, 104, "late.exe", key: 3));
        Assert.Equal("old.exe", table.NameOf(100, 5));
        Assert.Equal("old.exe", table.NameOf(100, 250));
        Assert.Equal("new.exe", table.NameOf(100, 300));
        Assert.Equal("late.exe", table.NameOf(104, 5));
        Assert.Equal(3, table.Processes.Count);
    }

    [Fact]
    public void A_lost_end_does_not_join_two_processes()
    {
        ThreadTable table = Table(Process(ProcessDCStart, 10, 100, "a.exe", key: 0), Process(ProcessStart, 300, 100, "b.exe", key: 0));
        Assert.Equal(("a.exe", "b.exe"), (table.NameOf(100, 299), table.NameOf(100, 300)));
    }

    [Fact]
    public void What_events_say_in_passing_counts_only_where_no_thread_record_tells()
    {
        ThreadTable table = Table(
            Thread(ThreadDCStart, 50, 100, 40),
            MadeEvent.System(0x0B42, 2, 100, threadId: 40, processId: 999, new byte[8]),
            MadeEvent.System(0x0B42, 2, 100, threadId: 44, processId: 100, new byte[8]),
            MadeEvent.System(0x0B42, 2, 150, threadId: 44, processId: 100, new byte[8]),
            MadeEvent.System(0x0B42, 2, 200, threadId: 44, processId: 200, new byte[8]),
            MadeEvent.Kernel(0x1820, 2, 300, [.. BitConverter.GetBytes(290L), .. MadeEvent.Numbers(100, 48), .. new byte[8]]));
        Assert.Equal(100u, table.ProcessOf(40, 100));
        Assert.Equal((100u, 100u), (table.ProcessOf(44, 1), table.ProcessOf(44, 160)));
        Assert.Equal(200u, table.ProcessOf(44, 190));
        Assert.Equal(100u, table.ProcessOf(48, 1));
    }

    [Fact]
    public void A_name_that_is_given_later_counts()
    {
        ThreadTable table = Table(
            Thread(ThreadDCEnd, 50, 100, 40, name: "first"),
            MadeEvent.Kernel(0x0548, 2, 70, [.. MadeEvent.Numbers(100, 40), .. MadeEvent.Text("audio")]),
            Thread(ThreadDCStart, 20, 100, 44, name: "kept"));
        Assert.Equal(("audio", "kept"), (table.Find(40, 1)!.Name, table.Find(44, 1)!.Name));
    }

    [Fact]
    public void The_order_of_records_does_not_matter()
    {
        var random = new Random(7);
        ushort[] hooks = [ThreadStart, ThreadEnd, ThreadDCStart, ThreadDCEnd];
        byte[][] records = [.. Enumerable.Range(0, 200).Select(_ => Thread(
            hooks[random.Next(4)],
            random.Next(50),
            100 + (uint)random.Next(3),
            40 + (4 * (uint)random.Next(4)),
            (sbyte)random.Next(32)))];
        ThreadTable one = Table(records);
        random.Shuffle(records);
        Assert.Equal(one.Threads, Table(records).Threads);
        for (int i = 1; i < one.Threads.Count; i++)
        {
            ThreadLife before = one.Threads[i - 1];
            Assert.True(before.ThreadId < one.Threads[i].ThreadId || before.ToTicks <= one.Threads[i].FromTicks);
        }
    }

    [Fact]
    public void Damaged_records_are_left_out_and_counted()
    {
        ThreadTable table = Table(MadeEvent.Kernel(ThreadStart, 3, 5, new byte[7]), MadeEvent.Kernel(ProcessStart, 4, 5, new byte[7]));
        Assert.Equal((2, 0, 0), (table.Dropped, table.Threads.Count, table.Processes.Count));
    }

    private static byte[] Thread(ushort hookId, long ticks, uint processId, uint threadId, sbyte priority = 8, string name = "") =>
        MadeEvent.Kernel(hookId, 3, ticks, MadeEvent.Thread(processId, threadId, priority, name: name));

    private static byte[] Process(ushort hookId, long ticks, uint processId, string name, ulong key) =>
        MadeEvent.Kernel(hookId, 4, ticks, MadeEvent.Process(processId, name, key));

    private static ThreadTable Table(params byte[][] records)
    {
        var table = new ThreadTable();
        foreach (byte[] record in records)
        {
            MadeEvent.Give(record, table.Add);
        }

        table.Complete();
        return table;
    }
}
