using Tracer.Capture.Triggers.Events;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>Finds the events of <c>--trigger event:...</c> on the machine, before anything is changed on it.</summary>
internal static class TriggerEvents
{
    /// <param name="problem">What is wrong with the first that it has not, and what to do; null where it has all.</param>
    /// <returns>Null where it has not all.</returns>
    public static IReadOnlyList<EventRule>? Find(IReadOnlyList<EventCondition> conditions, IProviderCatalog catalog, out string? problem)
    {
        List<EventRule> rules = [];
        foreach (EventCondition condition in conditions)
        {
            if (!EventRule.TryResolve(condition, catalog, out EventRule? rule, out problem, out string? unknown))
            {
                string? nearest = unknown is null ? null : NearestName.Of(unknown, catalog.Providers().Select(static one => one.Name));
                problem = nearest is null ? problem : $"{problem}; did you mean '{nearest}'?";
                return null;
            }

            rules.Add(rule);
        }

        problem = null;
        return rules;
    }
}
