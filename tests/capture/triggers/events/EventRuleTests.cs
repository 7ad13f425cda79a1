using System.Buffers.Binary;
using System.Text;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers.Events;

namespace Tracer.Capture.Tests;

/// <summary>What a user names is looked for on the machine, and events are matched with it.</summary>
public sealed class EventRuleTests
{
    private readonly FakeProviders _providers = new();

    [Theory]
    [InlineData("event:contoso-audio/33")]
    [InlineData("event:{11111111-2222-3333-4444-555555555555}/33")]
    public void AProviderIsFoundByNameAndByGuid(string text)
    {
        EventRule rule = Rule(text);
        Assert.Equal((FakeProviders.Audio, FakeProviders.AudioId), (rule.ProviderName, rule.Provider));
        Assert.Equal([FakeProviders.Starvation], rule.Request.EventIds);
        Assert.Equal(ulong.MaxValue, rule.Request.Keywords);
    }

    [Fact]
    public void AProviderThatDescribesItselfIsNamedBehindAStar()
    {
        EventRule rule = Rule("event:*MySource/2:Depth>1");
        Assert.Equal(new Guid("a61ea624-4944-55fc-c2a8-37838829438d"), rule.Provider);

        // The pieces of its manifest have an id of their own, and without them no field can be read.
        Assert.Equal([2, 0xFFFE], rule.Request.EventIds);
        Assert.Equal([2], Rule("event:*MySource/2").Request.EventIds);
        Assert.Empty(Rule("event:*MySource/*").Request.EventIds);
    }

    [Theory]
    [InlineData("event:Contoso-Audo/33", "no provider 'Contoso-Audo' is registered on this machine")]
    [InlineData("event:Contoso-Audio/34", "Contoso-Audio has no event 34; it has 33, 40")]
    [InlineData("event:Contoso-Audio/33:Bytes>1", "the event has no field 'Bytes'; it has BytesAvailable, Endpoint")]
    [InlineData("event:Contoso-Audio/40:Bytes>1", "the event has no field 'Bytes'; it has none")]
    public void WhatTheMachineHasNotIsToldWithWhatItHas(string text, string expected)
    {
        Assert.True(EventCondition.TryParse(text, out EventCondition? condition, out _));
        Assert.False(EventRule.TryResolve(condition, _providers, out EventRule? rule, out string? problem, out string? unknown));
        Assert.Null(rule);
        Assert.Contains(expected, problem, StringComparison.Ordinal);
        Assert.Equal(expected.StartsWith("no provider", StringComparison.Ordinal) ? "Contoso-Audo" : null, unknown);
    }

    [Fact]
    public void OfAPresetTheMachineNeedNotHaveAllEvents()
    {
        EventCondition preset = new() { Text = "event:some", Provider = FakeProviders.Audio, Ids = [7, 33, 99], IsPreset = true };
        Assert.True(EventRule.TryResolve(preset, _providers, out EventRule? rule, out _, out _));
        Assert.Equal([33], rule.Ids);
        Assert.False(EventRule.TryResolve(preset with { Ids = [7] }, _providers, out _, out string? problem, out _));
        Assert.Contains("has no event 7", problem, StringComparison.Ordinal);
        Assert.False(EventRule.TryResolve(preset with { IsPreset = false }, _providers, out _, out _, out _));
    }

    [Fact]
    public void AnEventOfTheProviderAndTheIdMatches()
    {
        var matcher = new EventMatcher([Rule("event:Contoso-Audio/33")]);
        Assert.True(Matches(matcher, FakeProviders.AudioId, 33));
        Assert.False(Matches(matcher, FakeProviders.AudioId, 40));
        Assert.False(Matches(matcher, FakeProviders.BareId, 33));
        Assert.True(Matches(new EventMatcher([Rule("event:Contoso-Audio/*")]), FakeProviders.AudioId, 40));
    }

    [Fact]
    public void AFieldIsReadAsTheManifestSaysInEachVersion()
    {
        var matcher = new EventMatcher([Rule("event:Contoso-Audio/33:bytesavailable<100")]);
        Assert.True(Matches(matcher, FakeProviders.AudioId, 33, 0, Number(99)));
        Assert.False(Matches(matcher, FakeProviders.AudioId, 33, 0, Number(100)));
        Assert.True(Matches(matcher, FakeProviders.AudioId, 33, 1, [.. Number(99), .. Encoding.Unicode.GetBytes("Speakers\0")]));
        Assert.Equal(0, matcher.Unreadable);

        var byText = new EventMatcher([Rule("event:Contoso-Audio/33:Endpoint=speakers")]);
        Assert.True(Matches(byText, FakeProviders.AudioId, 33, 1, [.. Number(99), .. Encoding.Unicode.GetBytes("Speakers\0")]));
        Assert.False(Matches(byText, FakeProviders.AudioId, 33, 1, [.. Number(99), .. Encoding.Unicode.GetBytes("Headset\0")]));
        Assert.False(Matches(byText, FakeProviders.AudioId, 33, 0, Number(99))); // Version 0 has no such field.
    }

    [Fact]
    public void AnEventThatNothingDescribesDoesNotPassATestAndIsCounted()
    {
        var matcher = new EventMatcher([Rule("event:Contoso-Bare/1:Field=1")]);
        Assert.False(Matches(matcher, FakeProviders.BareId, 1, 0, Number(1)));
        Assert.Equal(1, matcher.Unreadable);
    }

    [Fact]
    public void TruncatedPayloadsPassNothing()
    {
        var matcher = new EventMatcher([Rule("event:Contoso-Audio/33:BytesAvailable<100")]);
        Assert.False(Matches(matcher, FakeProviders.AudioId, 33, 0, [1, 2]));
    }

    [Fact]
    public void WhatSeveralAskOfOneProviderIsAskedOnce()
    {
        IReadOnlyList<ProviderRequest> joined = ProviderRequests.Joined(
        [
            .. RecordedEvents.Providers,
            new ProviderRequest("x", RecordedEvents.Providers[2].Id, 4, [14, 99]),
            Rule("event:Contoso-Audio/33").Request,
            Rule("event:Contoso-Audio/*").Request,
        ]);
        Assert.Equal(RecordedEvents.Providers.Count + 1, joined.Count);
        Assert.Equal([14, 15, 65, 99], joined[2].EventIds);
        Assert.True(joined[2].AsksState);
        Assert.Empty(joined[^1].EventIds); // One wants them all.
    }

    [Fact]
    public void TheListsOfWindowsAreRead()
    {
        byte[] providers = new byte[8 + 48 + 8];
        providers[0] = 3; // One more than there is room for.
        FakeProviders.AudioId.TryWriteBytes(providers.AsSpan(8));
        BinaryPrimitives.WriteUInt32LittleEndian(providers.AsSpan(28), 56);
        BinaryPrimitives.WriteUInt32LittleEndian(providers.AsSpan(52), 5000); // Outside.
        Encoding.Unicode.GetBytes("Abc\0").CopyTo(providers, 56);
        Assert.Equal([new RegisteredProvider("Abc", FakeProviders.AudioId)], ProviderLists.Providers(providers));
        Assert.Empty(ProviderLists.Providers([1, 2, 3]));

        byte[] events = new byte[8 + 32];
        events[0] = 2;
        events[8] = 33;
        events[10] = 1;
        events[24] = 0x10;
        events[25] = 0x20;
        Assert.Equal([new ManifestEvent(33, 1), new ManifestEvent(0x2010, 0)], ProviderLists.Events(events));
    }

    private static byte[] Number(uint value) => BitConverter.GetBytes(value);

    private static bool Matches(EventMatcher matcher, Guid provider, ushort id, byte version = 0, byte[]? payload = null)
    {
        var header = new EtlEventHeader
        {
            Kind = EtlHeaderKind.EventHeader64,
            TimestampTicks = 1,
            ProviderId = provider,
            Id = id,
            Version = version,
        };
        byte[] record = new byte[EventRecord.Measure(in header, payload?.Length ?? 0)];
        EventRecord.Write(record, in header, payload);
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent one));
        return matcher.IsMatch(in one);
    }

    private EventRule Rule(string text)
    {
        Assert.True(EventCondition.TryParse(text, out EventCondition? condition, out string? problem), problem);
        Assert.True(EventRule.TryResolve(condition, _providers, out EventRule? rule, out problem, out _), problem);
        return rule;
    }
}
