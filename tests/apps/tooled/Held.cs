using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

internal class Leaked
{
    public readonly byte[] Data = new byte[100];
}

internal class Link
{
    public Link Next;
}

internal class Subscriber
{
    public void OnChanged(object sender, EventArgs arguments)
    {
    }
}

internal class Order
{
    public Customer Customer;
    public Invoice Invoice;
}

internal class Customer
{
    public Order[] Orders;
}

internal class Invoice
{
}

internal class InStructure
{
}

internal class OfGeneric
{
}

internal static class Kept<T>
{
    public static T Value;
}

internal class OnStack
{
}

internal class ByHandle
{
}

internal class ByWeakHandle
{
}

internal class Key
{
}

internal class Attached
{
}

internal class Dropped
{
}

internal class Finalized
{
    public static readonly ManualResetEventSlim Release = new ManualResetEventSlim();
    public static int Begun;

    ~Finalized()
    {
        Interlocked.Increment(ref Begun);
        Release.Wait();
    }
}

internal struct Money
{
    public long Amount;
    public int Currency;
}

internal struct Referring
{
    public int Number;
    public object Reference;
}

internal struct Wide
{
    public long One;
    public long Two;
}

/// Objects whose number, bytes and holders are known.
internal static class Held
{
    private static readonly List<Leaked> Leak = new List<Leaked>();
    private static readonly object[] Boxes = new object[370];
    private static readonly string[] Texts = new string[330];
    private static readonly Wide[][] Large = new Wide[6][];
    private static readonly ConditionalWeakTable<Key, Attached> Table = new ConditionalWeakTable<Key, Attached>();
    private static Link head;
    private static Order order;
    private static Referring referring;
    private static Key key;

    private static event EventHandler Changed;

    public static void Run()
    {
        string when = Environment.GetEnvironmentVariable("TOOLED_WHEN");
        Plant();
        Drop();
        GCHandle handle = Handle();
        OnStack[] local = Local();
        MakeFinalizable();
        GC.Collect();
        while (Volatile.Read(ref Finalized.Begun) == 0)
        {
            Thread.Sleep(1);
        }
        AddLeaked(1000);
        Request(when, 1);
        AddLeaked(234);
        RemoveLink();
        Request(when, 2);
        GC.KeepAlive(local);
        handle.Free();
        Finalized.Release.Set();

        Program.Says("Leaked", "1000 1234 static Held.Leak < System.Collections.Generic.List<Leaked> < Leaked[]");
        Program.Says("Link", "5000 4999 static Held.head");
        Program.Says("Subscriber", "10 10 static Held.Changed < System.EventHandler < " + Invocations() + " < System.EventHandler");
        Program.Says("Invoice", "1 1 static Held.order < Order < Customer < Order[] < Order");
        Program.Says("InStructure", "1 1 static Held.referring < Referring");
        // The runtime reports no address of a generic class's field.
        Program.Says("OfGeneric", "1 1 static fields");
        Program.Says("OnStack", "50 50 stack of Held.Run < OnStack[]");
        Program.Says("ByHandle", "1 1 handle");
        Program.Says("Key", "1 1 static Held.key");
        Program.Says("Attached", "1 1 static Held.key < Key");
        Program.Says("Finalized", "4 4");
        Program.Says("held Finalized", "3 3 finalizer queue");
        Program.Says("Money", "70 70 static Held.Boxes < object[]");
        Program.Says("Wide[]", "6 6 static Held.Large < Wide[][]");
        Program.Says("Dropped", "0 0");
        Program.Says("ByWeakHandle", "0 0");
    }

    /// The type of the array of a combined delegate: since .NET 11 another one.
    private static string Invocations()
    {
        for (Type type = Changed.GetType(); type != null; type = type.BaseType)
        {
            foreach (FieldInfo field in type.GetFields(BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            {
                if (!field.FieldType.IsPointer && field.GetValue(Changed) is Array array)
                {
                    return array is object[] && array.GetType() == typeof(object[]) ? "object[]" : array.GetType().FullName.Replace('+', '.');
                }
            }
        }
        throw new InvalidOperationException("no array");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static GCHandle Handle()
    {
        GCHandle.Alloc(new ByWeakHandle(), GCHandleType.Weak);
        return GCHandle.Alloc(new ByHandle());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static OnStack[] Local()
    {
        OnStack[] local = new OnStack[50];
        for (int index = 0; index < local.Length; index++)
        {
            local[index] = new OnStack();
        }
        return local;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AddLeaked(int count)
    {
        for (int index = 0; index < count; index++)
        {
            Leak.Add(new Leaked());
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RemoveLink()
    {
        head = head.Next;
    }

    /// Has the profiler take a snapshot, and keeps it.
    private static void Request(string when, int number)
    {
        File.WriteAllText(when, "");
        for (int wait = 0; File.Exists(when) && wait < 30000; wait++)
        {
            Thread.Sleep(1);
        }
        string report = Environment.GetEnvironmentVariable("HEAP_OUT");
        if (report != null)
        {
            File.Copy(report, report + "." + number, true);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Plant()
    {
        for (int index = 0; index < 5000; index++)
        {
            head = new Link { Next = head };
        }
        for (int index = 0; index < 10; index++)
        {
            Changed += new Subscriber().OnChanged;
        }
        for (int index = 0; index < Boxes.Length; index++)
        {
            Boxes[index] = index < 300 ? (object)(index + 1000) : new Money { Amount = index };
        }
        for (int index = 0; index < Texts.Length; index++)
        {
            Texts[index] = index < 200
                ? new string("planted twice".ToCharArray())
                : index < 230 ? new string('é', 100) : "text number " + index.ToString();
        }
        for (int index = 0; index < Large.Length; index++)
        {
            Large[index] = new Wide[10000];
        }
        order = new Order { Customer = new Customer { Orders = new[] { new Order { Invoice = new Invoice() } } } };
        referring.Reference = new InStructure();
        Kept<OfGeneric>.Value = new OfGeneric();
        key = new Key();
        Table.Add(key, new Attached());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop()
    {
        for (int index = 0; index < 400; index++)
        {
            GC.KeepAlive(new Dropped());
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeFinalizable()
    {
        for (int index = 0; index < 4; index++)
        {
            GC.KeepAlive(new Finalized());
        }
    }

    /// Very many objects, for measurements.
    public static void Many(int count)
    {
        string when = Environment.GetEnvironmentVariable("TOOLED_WHEN");
        Link[] many = new Link[count / 2];
        for (int index = 0; index < many.Length; index++)
        {
            many[index] = new Link { Next = new Link { Next = index > 0 ? many[index - 1] : null } };
        }
        Request(when, 1);
        GC.KeepAlive(many);
    }
}
