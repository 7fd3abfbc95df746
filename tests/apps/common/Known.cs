using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Data.Common;
using System.Linq;
using System.Net.Http;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
#if NET9
using System.Text.Json.Nodes;
#endif
using System.Threading;
using System.Threading.Tasks;

namespace Report;

// Types that are written as values and not as fields: the contents are read through their public members.
public static partial class ValueWriter
{
    private static readonly Type[] Collections =
    {
        typeof(List<>), typeof(Dictionary<,>), typeof(HashSet<>), typeof(Queue<>), typeof(Stack<>),
        typeof(ConcurrentDictionary<,>),
#if NET9
        typeof(OrderedDictionary<,>),
#endif
    };

    private static readonly Type[] Others =
    {
        typeof(Lazy<>), typeof(ConcurrentQueue<>), typeof(ConcurrentStack<>), typeof(ConcurrentBag<>), typeof(Uri), typeof(HttpMethod),
        typeof(HttpRequestMessage),
#if NET8
        typeof(PriorityQueue<,>),
#endif
    };

    /// <summary>The class itself or the nearest base class that is written as a value; null if there is none.</summary>
    private static Type KnownLevel(Type type)
    {
        for (; type != null; type = type.BaseType)
        {
            Type definition = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
            if (Collections.Contains(definition) || Others.Contains(definition))
                return type;
        }
        return null;
    }

    /// <summary>Whether it has fields that a base class that is written as a value does not have.</summary>
    private static bool HasMore(object value) =>
        KnownLevel(value.GetType()) is { } level && AllFields(value.GetType(), level).Any();

    /// <summary>The C# name of the entity of a reflection object.</summary>
    private static string Named(object value) => value switch
    {
        Type type => TypeNames.Of(type),
        MethodBase method => Methods.Name(method),
        FieldInfo or PropertyInfo or EventInfo => Member((MemberInfo)value),
        Module module => module.Name,
        RuntimeTypeHandle handle when handle.Value != IntPtr.Zero => TypeNames.Of(Type.GetTypeFromHandle(handle)),
        RuntimeMethodHandle handle when handle.Value != IntPtr.Zero => Methods.Name(MethodBase.GetMethodFromHandle(handle)),
        RuntimeFieldHandle handle when handle.Value != IntPtr.Zero => Member(FieldInfo.GetFieldFromHandle(handle)),
        ModuleHandle handle when handle != default => typeof(ValueWriter).Module.Name,
        _ => null,
    };

    private static string Member(MemberInfo member) => TypeNames.Of(member.DeclaringType) + "." + member.Name;

    /// <summary>The items of a type that consists of items only: a vector, an inline array, a fixed buffer.</summary>
    private static (Type, IEnumerable)? Row(object value)
    {
        Type type = value.GetType();
        if (type.IsGenericType && type.IsValueType && type.Name.StartsWith("Vector") && type.Namespace is "System.Numerics" or "System.Runtime.Intrinsics")
            return Bytes(value, type.GetGenericArguments()[0]);
        FieldInfo[] fields = type.IsValueType && !type.IsPrimitive ? AllFields(type).ToArray() : Array.Empty<FieldInfo>();
        bool isRow = fields.Length == 1
            && (type.Name.EndsWith(">e__FixedBuffer")
                || type.GetCustomAttributesData().Any(a => a.AttributeType.Name == "InlineArrayAttribute"));
        return isRow ? Bytes(value, fields[0].FieldType) : null;
    }

    private static (Type, IEnumerable) Bytes(object value, Type item)
    {
        MethodInfo items = typeof(ValueWriter).GetMethod(nameof(ItemsOf), BindingFlags.Static | BindingFlags.NonPublic);
        return (item, (IEnumerable)items.MakeGenericMethod(value.GetType(), item).Invoke(null, new[] { value }));
    }

    private static TItem[] ItemsOf<TRow, TItem>(TRow row)
    {
        var items = new TItem[Unsafe.SizeOf<TRow>() / Unsafe.SizeOf<TItem>()];
        for (int i = 0; i < items.Length; i++)
            items[i] = Unsafe.Add(ref Unsafe.As<TRow, TItem>(ref row), i);
        return items;
    }

    private static bool WriteKnown(StringBuilder text, object value, List<object> ancestors)
    {
        Type own = value.GetType();
        Type type = KnownLevel(own) ?? own;
        // What is written as fields gets those of the derived class, too.
        if (type != own && HasMore(value) && type != typeof(HttpRequestMessage) && type.Name != "Lazy`1")
        {
            text.Append(",\"fields\":{\"base\":{\"type\":").Append(Json.Quoted(TypeNames.Of(type)));
            if (Formatted(value, true) is { } formatted)
                text.Append($",\"value\":{Json.Quoted(formatted)}");
            else
                WriteLevel(text, value, type, ancestors);
            text.Append('}');
            foreach (FieldInfo field in AllFields(own, type))
                WriteField(text, Displayed(field), field.FieldType, field.GetValue(value), false, ancestors);
            text.Append('}');
            return true;
        }
        return WriteLevel(text, value, type, ancestors);
    }

    private static bool WriteLevel(StringBuilder text, object value, Type type, List<object> ancestors)
    {
        Type definition = type.IsGenericType ? type.GetGenericTypeDefinition() : null;
        if (Collections.Contains(definition))
        {
            Type[] arguments = type.GetGenericArguments();
            Type item = arguments.Length == 2 ? typeof(KeyValuePair<,>).MakeGenericType(arguments) : arguments[0];
            WriteItems(text, (item, (IEnumerable)value), ancestors);
            return true;
        }
        if (definition == typeof(Memory<>) || definition == typeof(ReadOnlyMemory<>))
        {
            if (MemoryOwner(value) is not (null or Array or string))
                return false;
            object items = type.GetMethod("ToArray").Invoke(value, null);
            WriteItems(text, (type.GetGenericArguments()[0], (IEnumerable)items), ancestors);
            return true;
        }
        if (definition == typeof(ArraySegment<>))
        {
            bool isEmpty = type.GetProperty("Array").GetValue(value) == null;
            WriteItems(text, (type.GetGenericArguments()[0], isEmpty ? Array.Empty<object>() : (IEnumerable)value), ancestors);
            return true;
        }
        if (definition == typeof(Lazy<>))
        {
            bool isCreated = (bool)type.GetProperty("IsValueCreated").GetValue(value);
            text.Append(",\"fields\":{");
            WriteField(text, "IsValueCreated", typeof(bool), isCreated, true, ancestors);
            if (isCreated)
                WriteField(text, "Value", type.GetGenericArguments()[0], type.GetProperty("Value").GetValue(value), false, ancestors);
            foreach (FieldInfo field in AllFields(value.GetType(), type))
                WriteField(text, Displayed(field), field.FieldType, field.GetValue(value), false, ancestors);
            text.Append('}');
            return true;
        }
        if (definition == typeof(ConcurrentQueue<>) || definition == typeof(ConcurrentStack<>) || definition == typeof(ConcurrentBag<>))
        {
            WriteItems(text, (type.GetGenericArguments()[0], (IEnumerable)type.GetMethod("ToArray").Invoke(value, null)), ancestors);
            return true;
        }
#if NET8
        if (definition == typeof(PriorityQueue<,>))
        {
            object items = type.GetProperty("UnorderedItems").GetValue(value);
            WriteItems(text, (typeof(ValueTuple<,>).MakeGenericType(type.GetGenericArguments()), (IEnumerable)items), ancestors);
            return true;
        }
#endif
        if (definition == typeof(ImmutableArray<>))
        {
            WriteItems(text, (type.GetGenericArguments()[0], (IEnumerable)value), ancestors);
            return true;
        }
        switch (value)
        {
            case HttpRequestMessage:
                string[] request = { "_method", "_requestUri" };
                IEnumerable<FieldInfo> fields = request.Select(name => AllFields(type).Single(field => field.Name == name));
                WriteFields(text, value, fields.Concat(AllFields(value.GetType(), type)), ancestors);
                return true;
#if NET9
            case JsonObject or JsonArray or JsonValue:
                string[] held = { "_jsonElement", value is JsonObject ? "_dictionary" : "_list" };
                if (value is JsonValue)
                    held = new[] { "Value" };
                WriteFields(text, value, held.Select(name => AllFields(type).Single(field => field.Name == name)), ancestors);
                return true;
#endif
            case CancellationToken token:
                text.Append(",\"fields\":{");
                WriteField(text, "IsCancellationRequested", typeof(bool), token.IsCancellationRequested, true, ancestors);
                WriteField(text, "CanBeCanceled", typeof(bool), token.CanBeCanceled, false, ancestors);
                text.Append('}');
                return true;
            case DbCommand:
                string[] command = { "_commandText", "_parameters" };
                WriteFields(text, value, command.Select(name => AllFields(type).Single(field => field.Name == name)), ancestors);
                return true;
            case Exception: WriteFields(text, value, ExceptionFields(type), ancestors); return true;
            case Task task: WriteTask(text, task, ancestors); return true;
            default: return WriteValueTask(text, value, ancestors);
        }
    }

    /// <summary>Whether it is a default immutable array.</summary>
    private static bool IsNothing(object value)
    {
        Type type = value.GetType();
        return type.IsGenericType && type.GetGenericTypeDefinition() == typeof(ImmutableArray<>)
            && (bool)type.GetProperty("IsDefault").GetValue(value);
    }

    private static object MemoryOwner(object memory) =>
        memory.GetType().GetField("_object", BindingFlags.Instance | BindingFlags.NonPublic).GetValue(memory);

    private static IEnumerable<FieldInfo> ExceptionFields(Type type)
    {
        string[] shown = { "_message", "_innerException", "_HResult" };
        return AllFields(typeof(Exception)).Where(field => shown.Contains(field.Name)).Concat(AllFields(type, typeof(Exception)));
    }

    private static void WriteTask(StringBuilder text, Task task, List<object> ancestors)
    {
        text.Append(",\"fields\":{");
        WriteField(text, "Status", typeof(TaskStatus), task.Status, true, ancestors);
        Type level = task.GetType();
        while (level != typeof(Task) && !(level.IsGenericType && level.GetGenericTypeDefinition() == typeof(Task<>)))
            level = level.BaseType;
        if (task.Status == TaskStatus.RanToCompletion && level != typeof(Task))
            WriteField(text, "Result", level.GetGenericArguments()[0], level.GetProperty("Result").GetValue(task), false, ancestors);
        if (task.Status == TaskStatus.Faulted)
            WriteField(text, "Exception", typeof(Exception), task.Exception.InnerExceptions[0], false, ancestors);
        foreach (FieldInfo field in AllFields(task.GetType(), level))
            WriteField(text, Displayed(field), field.FieldType, field.GetValue(task), false, ancestors);
        text.Append('}');
    }

    // One with a task behind it is written as its fields, the task among them.
    private static bool WriteValueTask(StringBuilder text, object value, List<object> ancestors)
    {
        Type type = value.GetType();
        bool isGeneric = type.IsGenericType && type.GetGenericTypeDefinition() == typeof(ValueTask<>);
        if (!isGeneric && type != typeof(ValueTask))
            return false;
        if (type.GetField("_obj", BindingFlags.Instance | BindingFlags.NonPublic).GetValue(value) != null)
            return false;
        text.Append(",\"fields\":{");
        WriteField(text, "Status", typeof(TaskStatus), TaskStatus.RanToCompletion, true, ancestors);
        if (isGeneric)
            WriteField(text, "Result", type.GetGenericArguments()[0], type.GetProperty("Result").GetValue(value), false, ancestors);
        text.Append('}');
        return true;
    }
}
