namespace Xunit;

/// <summary>
/// As <see cref="Assert.All{T}(IEnumerable{T}, Action{T})"/>, but of at least one: a test that sees nothing must fail. What may rightly be
/// empty is for <c>Assert.All</c>.
/// </summary>
internal static class Every
{
    /// <summary>Checks each of some things, and that there are any.</summary>
    public static void Item<T>(IEnumerable<T> items, Action<T> check)
    {
        T[] all = [.. items];
        Assert.NotEmpty(all);
        Assert.All(all, check);
    }
}
