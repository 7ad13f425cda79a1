using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>Facts of damaged traces: what is left is told, nothing throws.</summary>
public class DamagedFactsTests
{
    [Theory]
    [InlineData("filtrace-etw.etl")]
    [InlineData("sawbuck-process_data_32_v1.etl")]
    [InlineData("msbuild-PerfViewData-x86.etl")]
    public void Random_damage_never_throws(string name)
    {
        byte[] whole = File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), name));
        var random = new Random(1);
        for (int round = 0; round < 25; round++)
        {
            byte[] damaged = [.. whole];
            for (int i = 0; i < damaged.Length / 400; i++)
            {
                // The first buffer stays: what is no trace is refused.
                damaged[random.Next(Math.Min(1024, damaged.Length - 1), damaged.Length)] = (byte)random.Next(256);
            }

            using EtlReader reader = EtlReader.Open(new MemoryStream(damaged));
            TraceFacts facts = TraceFacts.Read(reader);
            Assert.Equal(facts.Contents.Events, facts.Cpus.Sum(cpu => cpu.Events));
            foreach (LoadedImage image in facts.Images.Images)
            {
                Assert.True(image.LoadTicks <= image.UnloadTicks && !image.Name.Any(char.IsControl));
                facts.Images.FindUser(image.ProcessId, image.Base, image.LoadTicks);
            }

            Assert.All(facts.Threads.Threads, thread => Assert.True(thread.FromTicks <= thread.ToTicks));
            Assert.All(facts.Losses, loss => Assert.True(loss.FromTicks <= loss.ToTicks));
        }
    }
}
