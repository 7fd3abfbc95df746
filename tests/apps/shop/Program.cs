// Pages of a shop, and the answers to the queries of `docs/queries.md`, by the program's own account.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Shop;

public static class Program
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Main()
    {
        Expected.Called();
        Render("ann", new[] { 1 });
        Render("bob", new[] { 13, -1, -1, 2 });
        int[] many = new int[41];
        for (int index = 0; index < many.Length - 1; index++)
        {
            many[index] = 100 + index;
        }
        many[40] = 7;
        Render("eve", many);
        Thread other = new Thread(Night);
        other.Start();
        other.Join();
        Expected.Write();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Night()
    {
        Expected.Called();
        Render("ann", new[] { 3, 4 });
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Render(string customer, int[] items)
    {
        Expected.Called();
        Stopwatch watch = Stopwatch.StartNew();
        Page.Render(customer, items);
        Expected.Rendered(customer, watch.Elapsed.TotalMilliseconds);
    }
}

public static class Page
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Render(string customer, int[] items)
    {
        Expected.Called();
        Dictionary<int, bool> loaded = new Dictionary<int, bool>();
        foreach (int id in items)
        {
            loaded[id] = true;
            try
            {
                string item = Store.Load(id);
                if (id == 7)
                {
                    Cart.Add(item);
                    Cart.Last(out string last);
                    Expected.Value("Shop.Cart.Last", "out", "item", last);
                }
            }
            catch (KeyNotFoundException)
            {
                Expected.Thrown("Shop.Store.Load", "System.Collections.Generic.KeyNotFoundException", id);
            }
        }
        Expected.Loads("Shop.Page.Render", "Shop.Store.Load", items.Length, loaded.Count);
    }
}

public static class Store
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static string Load(int id)
    {
        Expected.Called();
        if (id < 0)
        {
            throw new KeyNotFoundException();
        }
        if (id == 13)
        {
            Thread.Sleep(50);
        }
        string item = "item-" + id;
        Expected.Value("Shop.Store.Load", "result", "return", item);
        return item;
    }
}

public static class Cart
{
    static string added;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Add(string item)
    {
        Expected.Called();
        Expected.Value("Shop.Cart.Add", "argument", "item", item);
        added = item;
        Label.Print(item, 2);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Last(out string item)
    {
        Expected.Called();
        item = added;
    }
}

public static class Label
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Print(string text, int copies)
    {
        Expected.Called();
        Expected.Value("Shop.Label.Print", "argument", "text", text);
        return text.Length * copies;
    }
}

/// What the queries have to find. It is not traced.
public static class Expected
{
    static readonly Dictionary<string, int> Stacks = new Dictionary<string, int>();
    static readonly List<string> Slowest = new List<string>();
    static readonly List<string> Many = new List<string>();
    static readonly List<string> Values = new List<string>();
    static readonly List<string> Exceptions = new List<string>();

    /// Counts the path to the caller, as the runtime walks it.
    public static void Called()
    {
        StackFrame[] frames = new StackTrace(1).GetFrames();
        List<string> names = new List<string>();
        foreach (StackFrame frame in frames)
        {
            System.Reflection.MethodBase method = frame.GetMethod();
            if (method.DeclaringType.Assembly == typeof(Expected).Assembly)
            {
                names.Insert(0, method.DeclaringType.FullName + "." + method.Name);
            }
        }
        string path = string.Join(";", names);
        Stacks.TryGetValue(path, out int calls);
        Stacks[path] = calls + 1;
    }

    public static void Rendered(string customer, double milliseconds) =>
        Slowest.Add($"[{Text(customer)}, {milliseconds.ToString(System.Globalization.CultureInfo.InvariantCulture)}]");

    public static void Loads(string caller, string called, int calls, int different)
    {
        if (calls >= 10 && calls == different)
        {
            Many.Add($"[{Text(caller)}, {Text(called)}, 1, {calls}]");
        }
    }

    public static void Value(string method, string kind, string name, string value)
    {
        if (value == "item-7")
        {
            Values.Add($"[{Text(method)}, {Text(kind)}, {Text(name)}]");
        }
    }

    public static void Thrown(string method, string exception, int id) =>
        Exceptions.Add($"[{Text(method)}, {Text(exception)}, {Text(id.ToString())}]");

    public static void Write()
    {
        List<string> stacks = new List<string>();
        foreach (KeyValuePair<string, int> stack in Stacks)
        {
            stacks.Add($"[{Text(stack.Key)}, {stack.Value}]");
        }
        Line("slowest", Slowest);
        Line("many", Many);
        Line("values", Values);
        Line("exceptions", Exceptions);
        Line("stacks", stacks);
    }

    static void Line(string name, List<string> rows) =>
        Console.WriteLine($"{{{Text(name)}: [{string.Join(", ", rows)}]}}");

    static string Text(string text) => "\"" + text + "\"";
}
