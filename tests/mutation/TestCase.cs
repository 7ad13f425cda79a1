using System.Collections;
using System.Reflection;

namespace Tracer.Mutation;

/// <summary>A test, with the values of its row where it has some.</summary>
/// <param name="Name">Class, method and row.</param>
internal sealed record TestCase(string Name, MethodInfo Method, object?[] Arguments)
{
    /// <summary>Tests that measure the heap or the time, which mutants under test disturb.</summary>
    private const string CollectionOfMeasuring = "Alone";

    private const string RowInterface = "Xunit.ITheoryDataRow";

    /// <summary>Every test of an assembly but those that measure.</summary>
    public static List<TestCase> In(Assembly assembly)
    {
        var cases = new List<TestCase>();
        foreach (Type type in assembly.GetTypes().Where(type => type is { IsPublic: true, IsAbstract: false } && !Measures(type)))
        {
            foreach (MethodInfo method in type.GetMethods())
            {
                string name = $"{type.Name}.{method.Name}";
                if (Has(method, "TheoryAttribute"))
                {
                    cases.AddRange(Rows(method).Select(row =>
                        new TestCase($"{name}({string.Join(", ", row)})", method, Filled(method, row))));
                }
                else if (Has(method, "FactAttribute"))
                {
                    cases.Add(new TestCase(name, method, []));
                }
            }
        }

        return cases;
    }

    /// <summary>Runs it; throws what it throws.</summary>
    public void Run()
    {
        object? instance = Method.IsStatic ? null : Activator.CreateInstance(Method.DeclaringType!);
        try
        {
            if (Method.Invoke(instance, Arguments) is Task task)
            {
                task.GetAwaiter().GetResult();
            }
        }
        finally
        {
            (instance as IDisposable)?.Dispose();
        }
    }

    private static bool Has(MemberInfo member, string attribute) =>
        member.GetCustomAttributesData().Any(data => data.AttributeType.Name == attribute);

    private static bool Measures(Type type) => type.GetCustomAttributesData().Any(data =>
        data.AttributeType.Name == "CollectionAttribute" && data.ConstructorArguments is [{ Value: CollectionOfMeasuring }]);

    private static IEnumerable<object?[]> Rows(MethodInfo method)
    {
        foreach (CustomAttributeData data in method.GetCustomAttributesData())
        {
            if (data.AttributeType.Name == "InlineDataAttribute")
            {
                yield return [.. ((IEnumerable<CustomAttributeTypedArgument>)data.ConstructorArguments[0].Value!).Select(ValueOf)];
            }
            else if (data.AttributeType.Name == "MemberDataAttribute")
            {
                foreach (object row in RowsOf(method.DeclaringType!, (string)data.ConstructorArguments[0].Value!))
                {
                    yield return row as object?[]
                        ?? (object?[])row.GetType().GetInterface(RowInterface)!.GetMethod("GetData")!.Invoke(row, [])!;
                }
            }
        }
    }

    private static IEnumerable RowsOf(Type type, string member)
    {
        const BindingFlags Any = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
        object? rows = type.GetProperty(member, Any)?.GetValue(null) ?? type.GetMethod(member, Any)?.Invoke(null, []);
        return (IEnumerable?)rows ?? throw new InvalidOperationException($"{type.Name} has no rows named {member}.");
    }

    private static object? ValueOf(CustomAttributeTypedArgument argument) => argument.Value switch
    {
        IEnumerable<CustomAttributeTypedArgument> items => ArrayOf(argument.ArgumentType.GetElementType()!, [.. items]),
        { } value when argument.ArgumentType.IsEnum => Enum.ToObject(argument.ArgumentType, value),
        var value => value,
    };

    private static Array ArrayOf(Type type, CustomAttributeTypedArgument[] items)
    {
        var array = Array.CreateInstance(type, items.Length);
        for (int index = 0; index < items.Length; index++)
        {
            array.SetValue(ValueOf(items[index]), index);
        }

        return array;
    }

    private static object?[] Filled(MethodInfo method, object?[] row) => [.. method.GetParameters().Select((parameter, index) =>
        index < row.Length ? Converted(row[index], parameter.ParameterType) : Type.Missing)];

    private static object? Converted(object? value, Type type)
    {
        Type plain = Nullable.GetUnderlyingType(type) ?? type;
        if (value is not IConvertible || plain.IsInstanceOfType(value))
        {
            return value;
        }

        return plain.IsEnum ? Enum.ToObject(plain, value) : Convert.ChangeType(value, plain, CultureInfo.InvariantCulture);
    }
}
