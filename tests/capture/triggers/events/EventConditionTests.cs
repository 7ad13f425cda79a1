using System.Text;
using Tracer.Capture.Triggers.Events;
using Tracer.Etl.Decoding;

namespace Tracer.Capture.Tests;

/// <summary>What <c>--trigger event:...</c> can say, and how a field is compared.</summary>
public sealed class EventConditionTests
{
    [Theory]
    [InlineData("event:Contoso-Audio/33", "Contoso-Audio", 33)]
    [InlineData("EVENT: Contoso-Audio / 33 ", "Contoso-Audio", 33)]
    [InlineData("event:{ae4bd3be-f36f-45b6-8d21-bdd6fb832853}/0", "{ae4bd3be-f36f-45b6-8d21-bdd6fb832853}", 0)]
    [InlineData("event:Name/With/Slashes/65535", "Name/With/Slashes", 65535)]
    public void ProviderAndIdAreRead(string text, string provider, ushort id)
    {
        Assert.True(EventCondition.TryParse(text, out EventCondition? condition, out string? problem), problem);
        Assert.Equal(provider, condition.Provider);
        Assert.Equal([id], condition.Ids);
        Assert.Null(condition.Test);
        Assert.False(condition.IsPreset);
    }

    [Theory]
    [InlineData("event:P/1:Count>3", "Count", FieldComparison.Greater, "3")]
    [InlineData("event:P/1:Count>=3", "Count", FieldComparison.GreaterOrEqual, "3")]
    [InlineData("event:P/1:Count<-3.5", "Count", FieldComparison.Less, "-3.5")]
    [InlineData("event:P/1: Count <= 0xFF ", "Count", FieldComparison.LessOrEqual, "0xFF")]
    [InlineData("event:P/1:Path=C:/x>y", "Path", FieldComparison.Equal, "C:/x>y")]
    [InlineData("event:P/1:Name!=\"a, b\"", "Name", FieldComparison.NotEqual, "a, b")]
    public void AComparisonIsRead(string text, string field, FieldComparison comparison, string value)
    {
        Assert.True(EventCondition.TryParse(text, out EventCondition? condition, out string? problem), problem);
        Assert.Equal(new FieldTest(field, comparison, value), condition.Test);
    }

    [Fact]
    public void AStarIsEveryEvent()
    {
        Assert.True(EventCondition.TryParse("event:*My.App/*", out EventCondition? condition, out _));
        Assert.Equal("*My.App", condition.Provider);
        Assert.Empty(condition.Ids);
    }

    [Theory]
    [InlineData("event:", "names no event: event:PROVIDER/ID[:FIELD>VALUE] is expected, or one of event:audio-glitch")]
    [InlineData("event:audio-glitsch", "names no event")]
    [InlineData("event:/1", "names no provider")]
    [InlineData("event:*/1", "names no provider")]
    [InlineData("event:P/", "'' in 'event:P/' is not an event id: a number from 0 to 65535 is expected, or * for all events")]
    [InlineData("event:P/65536", "is not an event id")]
    [InlineData("event:P/-1", "is not an event id")]
    [InlineData("event:P/1:", "a field, one of > >= < <= = != and a value are expected, such as Count>3")]
    [InlineData("event:P/1:Count", "a field, one of")]
    [InlineData("event:P/1:>3", "a field, one of")]
    [InlineData("event:P/1:Count!3", "a field, one of")]
    [InlineData("event:P/1:Count>", "a value is expected after >")]
    [InlineData("event:P/1:Count>many", "'many' is not a number, and texts can be compared by = and != only")]
    public void WhatCantBeReadIsToldWithWhatToWrite(string text, string expected)
    {
        Assert.False(EventCondition.TryParse(text, out EventCondition? condition, out string? problem));
        Assert.Null(condition);
        Assert.Contains(expected, problem, StringComparison.Ordinal);
    }

    [Fact]
    public void EveryPresetIsReadByItsNameAndHasEventsOnce()
    {
        foreach (EventPreset preset in EventPresets.All)
        {
            string text = EventCondition.Prefix + preset.Name.ToUpperInvariant();
            Assert.True(EventCondition.TryParse(text, out EventCondition? condition, out _));
            Assert.Equal((preset.Provider, true), (condition.Provider, condition.IsPreset));
            Assert.Equal(preset.Ids, condition.Ids);
            Assert.NotEmpty(preset.Ids);
            Assert.Equal(preset.Ids.Distinct(), preset.Ids);
        }
    }

    [Theory]
    [InlineData("18446744073709551615", FieldComparison.Equal, ulong.MaxValue, true)]
    [InlineData("18446744073709551614", FieldComparison.Greater, ulong.MaxValue, true)]
    [InlineData("-1", FieldComparison.Greater, 0ul, true)]
    [InlineData("0xFFFFFFFFFFFFFFFF", FieldComparison.LessOrEqual, ulong.MaxValue, true)]
    [InlineData("3.5", FieldComparison.Less, 3ul, true)]
    [InlineData("3.5", FieldComparison.Less, 4ul, false)]
    [InlineData("three", FieldComparison.NotEqual, 3ul, false)]
    public void NumbersAreComparedExactly(string value, FieldComparison comparison, ulong field, bool passes) =>
        Assert.Equal(passes, new FieldTest("F", comparison, value).Passes(FieldValue.Unsigned(field)));

    [Fact]
    public void EachKindOfFieldIsCompared()
    {
        Assert.True(Test("-5", FieldComparison.Less).Passes(FieldValue.Signed(-6)));
        Assert.False(Test("-5", FieldComparison.Less).Passes(FieldValue.Unsigned(unchecked((ulong)-6L))));
        Assert.True(Test("0.25", FieldComparison.GreaterOrEqual).Passes(FieldValue.Double(0.25)));
        Assert.False(Test("1", FieldComparison.Equal).Passes(FieldValue.Double(double.NaN)));
        Assert.True(Test("true", FieldComparison.Equal).Passes(FieldValue.Boolean(true)));
        Assert.True(Test("LowMemory", FieldComparison.Equal).Passes(FieldValue.Named(2, "lowmemory")));
        Assert.True(Test("2", FieldComparison.Equal).Passes(FieldValue.Named(2, "lowmemory")));
        Assert.True(Test("render", FieldComparison.Equal).Passes(FieldValue.Utf16Text(Encoding.Unicode.GetBytes("Render"))));
        Assert.True(Test("render", FieldComparison.NotEqual).Passes(FieldValue.Text8("capture"u8)));
        Assert.False(Test("7", FieldComparison.Greater).Passes(FieldValue.String("8"))); // Texts have no order.
        Assert.True(Test("ae4bd3be-f36f-45b6-8d21-bdd6fb832853", FieldComparison.Equal)
            .Passes(FieldValue.Guid(new Guid("ae4bd3be-f36f-45b6-8d21-bdd6fb832853").ToByteArray())));
        Assert.False(Test("1", FieldComparison.NotEqual).Passes(FieldValue.Null));
    }

    private static FieldTest Test(string value, FieldComparison comparison) => new("F", comparison, value);
}
