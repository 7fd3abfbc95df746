using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using Report;

namespace Spelling;

/// <summary>Methods as the source declares them, by reflection.</summary>
public static class Declarations
{
    private const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<string, string> Operators = new()
    {
        ["op_Addition"] = "+", ["op_Subtraction"] = "-", ["op_Multiply"] = "*", ["op_Division"] = "/", ["op_Modulus"] = "%",
        ["op_BitwiseAnd"] = "&", ["op_BitwiseOr"] = "|", ["op_ExclusiveOr"] = "^", ["op_LeftShift"] = "<<", ["op_RightShift"] = ">>",
        ["op_UnsignedRightShift"] = ">>>", ["op_Equality"] = "==", ["op_Inequality"] = "!=", ["op_LessThan"] = "<",
        ["op_GreaterThan"] = ">", ["op_LessThanOrEqual"] = "<=", ["op_GreaterThanOrEqual"] = ">=", ["op_UnaryPlus"] = "+",
        ["op_UnaryNegation"] = "-", ["op_LogicalNot"] = "!", ["op_OnesComplement"] = "~", ["op_Increment"] = "++",
        ["op_Decrement"] = "--", ["op_True"] = "true", ["op_False"] = "false", ["op_CheckedAddition"] = "checked +",
    };

    private static readonly Dictionary<Type, Dictionary<int, PropertyInfo>> Properties = new();
    private static readonly Dictionary<Type, Dictionary<int, EventInfo>> Events = new();
    private static readonly Dictionary<Type, Dictionary<int, MethodInfo>> Implemented = new();

    /// <summary>The declaration of a method whose type arguments are known.</summary>
    public static string Of(MethodBase method)
    {
        Type type = method.DeclaringType;
        var open = type.Module.ResolveMethod(method.MetadataToken);
        string simple = TypeNames.InSource(type.Name).Split('`', '@')[0];
        string parameters = Parameters(open, method, method.GetParameters().Length);
        string container = TypeNames.Container(type) + ".";
        if (method is ConstructorInfo)
            return method.IsStatic ? $"static {container}{simple}()" : $"{container}{simple}({parameters})";
        var (closed, declared) = ((MethodInfo)method, (MethodInfo)open);
        if (method.Name == "Finalize" && closed.GetBaseDefinition().DeclaringType == typeof(object))
            return $"{container}~{simple}()";
        string result = Result(declared, closed);
        (string prefix, string name) = Explicit(closed);
        container += prefix;
        if (Found(Properties, type, method, OfProperties) is { } property)
            return Accessor(property, container, prefix != "", declared, closed);
        if (Found(Events, type, method, OfEvents) is { } @event)
        {
            string eventName = prefix == "" ? @event.Name : @event.Name[(@event.Name.LastIndexOf('.') + 1)..];
            string word = Is(@event.GetAddMethod(true), method) ? "add" : "remove";
            return $"{Spell(open.GetParameters()[0], method.GetParameters()[0])} {container}{eventName}.{word}";
        }
        if (method.IsSpecialName || prefix != "")
        {
            if (name is "op_Implicit" or "op_Explicit" or "op_CheckedExplicit")
            {
                string word = name switch { "op_Implicit" => "implicit operator", "op_Explicit" => "explicit operator", _ => "explicit operator checked" };
                return $"{container}{word} {result}({parameters})";
            }
            if (Operators.TryGetValue(name, out string symbol))
                name = "operator " + symbol;
        }
        string own = method.IsGenericMethod ? TypeNames.Arguments(method.GetGenericArguments()) : "";
        string self = method.IsDefined(typeof(ExtensionAttribute), false) ? "this " : "";
        return $"{result} {container}{name}{own}({self}{parameters})";
    }

    private static string Accessor(PropertyInfo property, string container, bool isExplicit, MethodInfo open, MethodInfo closed)
    {
        bool isGetter = Is(property.GetGetMethod(true), closed);
        int count = closed.GetParameters().Length - (isGetter ? 0 : 1);
        string name = isExplicit ? property.Name[(property.Name.LastIndexOf('.') + 1)..] : property.Name;
        if (count > 0)
            name = $"this[{Parameters(open, closed, count)}]";
        string type = isGetter ? Result(open, closed) : Spell(open.GetParameters()[count], closed.GetParameters()[count]);
        bool isInit = closed.ReturnParameter.GetRequiredCustomModifiers().Any(m => m.Name == "IsExternalInit");
        return $"{type} {container}{name}.{(isGetter ? "get" : isInit ? "init" : "set")}";
    }

    private static IEnumerable<(MethodInfo, PropertyInfo)> OfProperties(Type type) =>
        type.GetProperties(All).SelectMany(p => new[] { (p.GetGetMethod(true), p), (p.GetSetMethod(true), p) });

    private static IEnumerable<(MethodInfo, EventInfo)> OfEvents(Type type) =>
        type.GetEvents(All).SelectMany(e => new[] { (e.GetAddMethod(true), e), (e.GetRemoveMethod(true), e) });

    /// <summary>The member of a method among those that <paramref name="all"/> returns for its type, cached.</summary>
    private static T Found<T>(Dictionary<Type, Dictionary<int, T>> known, Type type, MethodBase method, Func<Type, IEnumerable<(MethodInfo, T)>> all)
    {
        if (!known.TryGetValue(type, out Dictionary<int, T> ofType))
        {
            known[type] = ofType = new Dictionary<int, T>();
            foreach ((MethodInfo of, T what) in all(type))
                if (of != null)
                    ofType.TryAdd(of.MetadataToken, what);
        }
        return ofType.TryGetValue(method.MetadataToken, out T found) ? found : default;
    }

    private static bool Is(MethodBase a, MethodBase b) => a?.MetadataToken == b.MetadataToken;

    /// <summary>The interface and the method in it that a method implements under another name.</summary>
    private static (string Prefix, string Name) Explicit(MethodInfo method)
    {
        Type type = method.DeclaringType;
        if (!method.Name.Contains('.') || type.IsInterface)
            return ("", method.Name);
        MethodInfo implemented = Found(Implemented, type, method, OfInterfaces);
        return implemented == null ? ("", method.Name) : (TypeNames.Of(implemented.DeclaringType) + ".", implemented.Name);
    }

    private static IEnumerable<(MethodInfo, MethodInfo)> OfInterfaces(Type type)
    {
        foreach (Type each in type.GetInterfaces())
        {
            InterfaceMapping map = type.GetInterfaceMap(each);
            for (int i = 0; i < map.TargetMethods.Length; i++)
                if (map.TargetMethods[i]?.DeclaringType == type)
                    yield return (map.TargetMethods[i], map.InterfaceMethods[i]);
        }
    }

    private static string Result(MethodInfo open, MethodInfo closed)
    {
        string mode = !closed.ReturnType.IsByRef ? "" : Has(closed.ReturnParameter, "IsReadOnlyAttribute") ? "ref readonly " : "ref ";
        return mode + Spell(open.ReturnParameter, closed.ReturnParameter);
    }

    private static string Parameters(MethodBase open, MethodBase closed, int count) =>
        string.Join(", ", open.GetParameters().Zip(closed.GetParameters(), Parameter).Take(count));

    private static string Parameter(ParameterInfo open, ParameterInfo closed)
    {
        List<string> attributes = closed.GetCustomAttributesData().Select(a => a.AttributeType.Name).ToList();
        string mode = closed switch
        {
            _ when attributes.Contains("ParamArrayAttribute") || attributes.Contains("ParamCollectionAttribute") => "params ",
            { ParameterType.IsByRef: false } => "",
            { IsOut: true, IsIn: false } => "out ",
            _ when attributes.Contains("IsReadOnlyAttribute") => "in ",
            _ when attributes.Contains("RequiresLocationAttribute") => "ref readonly ",
            _ => "ref ",
        };
        if (attributes.Contains("ScopedRefAttribute") && mode is not ("params " or "out "))
            mode = "scoped " + mode;
        // Reflection cannot make a value of an enum that is nested in a generic type without arguments.
        string value = Default(IsEnum(open.ParameterType) ? closed : open) is { } text ? " = " + text : "";
        return $"{mode}{Spell(open, closed)} {closed.Name}".TrimEnd() + value;
    }

    private static bool IsEnum(Type type) => (Nullable.GetUnderlyingType(type) ?? type).IsEnum;

    private static bool Has(ParameterInfo parameter, string attribute) =>
        parameter.GetCustomAttributesData().Any(a => a.AttributeType.Name == attribute);

    // The attributes describe the declared type: where it has a type parameter, the argument is formatted unchanged.

    private static string Spell(ParameterInfo open, ParameterInfo closed)
    {
        var attributes = open.GetCustomAttributesData();
        var notes = new Notes
        {
            Names = List<string>(attributes, "TupleElementNamesAttribute", null),
            Dynamic = List<bool>(attributes, "DynamicAttribute", true),
        };
        for (int i = 0; i < open.GetRequiredCustomModifiers().Length && open.ParameterType.IsByRef; i++)
            notes.Dynamic.TryDequeue(out _);
        return Spell(open.ParameterType, closed.ParameterType, notes);
    }

    private static Queue<T> List<T>(IList<CustomAttributeData> attributes, string name, T single)
    {
        CustomAttributeData attribute = attributes.FirstOrDefault(a => a.AttributeType.Name == name);
        if (attribute == null)
            return new Queue<T>();
        if (attribute.ConstructorArguments.Count == 0)
            return new Queue<T>(new[] { single });
        var values = (IEnumerable<CustomAttributeTypedArgument>)attribute.ConstructorArguments[0].Value;
        return new Queue<T>(values.Select(v => (T)v.Value));
    }

    private sealed class Notes
    {
        internal Queue<string> Names;
        internal Queue<bool> Dynamic;
    }

    private static string Spell(Type open, Type closed, Notes notes)
    {
        if (notes.Names.Count == 0 && notes.Dynamic.Count == 0)
            return TypeNames.Of(closed);
        bool isDynamic = notes.Dynamic.Count > 0 && notes.Dynamic.Dequeue();
        if (open.IsByRef)
            return Spell(open.GetElementType(), closed.GetElementType(), notes);
        if (open.IsPointer)
            return Spell(open.GetElementType(), closed.GetElementType(), notes) + "*";
        if (open.IsArray)
        {
            string ranks = "[" + new string(',', open.GetArrayRank() - 1) + "]";
            (Type element, Type closedElement) = (open.GetElementType(), closed.GetElementType());
            for (; element.IsArray; element = element.GetElementType(), closedElement = closedElement.GetElementType())
            {
                ranks += "[" + new string(',', element.GetArrayRank() - 1) + "]";
                if (notes.Dynamic.Count > 0)
                    notes.Dynamic.Dequeue();
            }
            return Spell(element, closedElement, notes) + ranks;
        }
        if (isDynamic)
            return "dynamic";
        if (!open.IsGenericType)
            return TypeNames.Of(closed);
        (Type[] arguments, Type[] closedArguments) = (open.GetGenericArguments(), closed.GetGenericArguments());
        if (typeof(ITuple).IsAssignableFrom(open) && open.IsValueType && arguments.Length > 1)
        {
            string[] names = Enumerable.Range(0, Length(open)).Select(_ => notes.Names.Count > 0 ? notes.Names.Dequeue() : null).ToArray();
            IEnumerable<string> types = Items(open, closed, notes);
            return "(" + string.Join(", ", types.ToArray().Select((type, i) => (type + " " + names[i]).TrimEnd())) + ")";
        }
        for (int i = 0; i < (typeof(ITuple).IsAssignableFrom(open) ? arguments.Length : 0); i++)
            notes.Names.TryDequeue(out _);
        string[] spelled = arguments.Zip(closedArguments, (a, b) => Spell(a, b, notes)).ToArray();
        return Nullable.GetUnderlyingType(closed) != null ? spelled[0] + "?" : Named(open, spelled);
    }

    private static int Length(Type tuple)
    {
        Type[] items = tuple.GetGenericArguments();
        return items.Length < 8 ? items.Length : 7 + Length(items[7]);
    }

    /// <summary>The items of a tuple; those from the eighth on are in another one.</summary>
    private static IEnumerable<string> Items(Type open, Type closed, Notes notes)
    {
        (Type[] items, Type[] closedItems) = (open.GetGenericArguments(), closed.GetGenericArguments());
        for (int i = 0; i < Math.Min(items.Length, 7); i++)
            yield return Spell(items[i], closedItems[i], notes);
        if (items.Length < 8)
            yield break;
        notes.Dynamic.TryDequeue(out _);
        for (int i = Length(items[7]); i > 0; i--)
            notes.Names.TryDequeue(out _);
        foreach (string item in Items(items[7], closedItems[7], notes))
            yield return item;
    }

    private static string Named(Type type, string[] arguments)
    {
        var levels = new Stack<Type>();
        for (Type level = type; level != null; level = level.DeclaringType)
            levels.Push(level);
        var name = new StringBuilder(string.IsNullOrEmpty(type.Namespace) ? "" : type.Namespace + ".");
        int used = 0;
        foreach (Type level in levels)
        {
            string[] parts = TypeNames.InSource(level.Name).Split('`');
            int count = parts.Length > 1 ? int.Parse(parts[1]) : 0;
            name.Append(parts[0]);
            if (count > 0)
                name.Append('<').Append(string.Join(", ", arguments.Skip(used).Take(count))).Append('>');
            name.Append('.');
            used += count;
        }
        return name.ToString(0, name.Length - 1);
    }

    private static string Default(ParameterInfo parameter)
    {
        if (!parameter.HasDefaultValue)
            return null;
        Type type = parameter.ParameterType;
        if (type.IsByRef)
            type = type.GetElementType();
        object value = parameter.RawDefaultValue;
        if (value == null || value is DateTime)
            return type.IsValueType && Nullable.GetUnderlyingType(type) == null || type.IsGenericParameter ? "default" : "null";
        type = Nullable.GetUnderlyingType(type) ?? type;
        if (type.IsEnum)
        {
            string text = Enum.ToObject(type, value).ToString();
            bool isNumber = char.IsDigit(text[0]) || text[0] == '-';
            return isNumber ? $"({TypeNames.Of(type)}){text}" : string.Join(" | ", text.Split(", ").Select(n => TypeNames.Of(type) + "." + n));
        }
        return value switch
        {
            bool b => b ? "true" : "false",
            char c => "'" + Escaped(c.ToString(), '\'') + "'",
            string s => "\"" + Escaped(s, '"') + "\"",
            double d when !double.IsFinite(d) => "double." + NotFinite(d),
            float f when !float.IsFinite(f) => "float." + NotFinite(f),
            IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
            _ => throw new InvalidOperationException($"a default value of {value.GetType()}"),
        };
    }

    private static string NotFinite(double value) =>
        double.IsNaN(value) ? "NaN" : value > 0 ? "PositiveInfinity" : "NegativeInfinity";

    private static string Escaped(string text, char quote) => string.Concat(text.Select(c => c switch
    {
        '\0' => "\\0",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\\' => "\\\\",
        _ when c == quote => "\\" + c,
        _ when char.IsControl(c) => $"\\u{(int)c:x4}",
        _ => c.ToString(),
    }));
}
