using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

internal struct State
{
    public long First;
    public long Second;
}

internal sealed class Node
{
    public Node Left;
    public Node Right;
}

/// A mixed load: methods in a random order, on two threads, which count what they allocate by method and by class, each with
/// the runtime's own counter of the thread.
internal sealed class Mixed
{
    /// The sizes and lengths of the methods' objects differ; `Weights` are how often each is called, so that each allocates a share.
    private static readonly string[] Methods =
    {
        "Mixed.MakeSmall", "Mixed.MakePair", "Mixed.MakeText", "Mixed.MakeBytes", "Mixed.MakeBox", "Mixed.MakeNumber",
        "Mixed.MakeBricks", "Mixed.MakeTable", "Mixed.MakeList", "Mixed.MakeTree", "Mixed.MakeLarge", "Mixed.MakeLarger",
    };

    private static readonly int[] Weights = { 2400, 2400, 900, 120, 1500, 2000, 240, 120, 300, 240, 1, 1 };

    private readonly Dictionary<string, long> methods = new Dictionary<string, long>();
    private readonly Dictionary<string, long> classes = new Dictionary<string, long>();
    private uint random;
    private object last;

    private Mixed(uint seed)
    {
        random = seed;
    }

    public static void Run(int megabytes)
    {
        Mixed[] workers = { new Mixed(1), new Mixed(2) };
        Thread[] threads = new Thread[workers.Length];
        for (int number = 0; number < workers.Length; number++)
        {
            Mixed worker = workers[number];
            threads[number] = new Thread(() => worker.Work((long)megabytes << 19));
            threads[number].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        foreach (string name in workers[0].methods.Keys)
        {
            Program.Says("method " + name, workers[0].methods[name] + workers[1].methods[name]);
        }
        foreach (string name in workers[0].classes.Keys)
        {
            Program.Says("class " + name, workers[0].classes[name] + workers[1].classes[name]);
        }
    }

    /// Allocates so many bytes.
    private void Work(long bytes)
    {
        foreach (string name in Methods)
        {
            methods[name] = 0;
        }
        foreach (string name in new[]
        {
            "Small", "Pair<string>", "string", "byte[]", "boxed Brick", "boxed int", "Brick[]", "System.Collections.Generic.Dictionary<string, State>",
            "System.Collections.Generic.Dictionary<string, State>.Entry[]", "int[]", "System.Collections.Generic.List<long>", "long[]", "Node", "char[]", "double[]",
        })
        {
            classes[name] = 0;
        }
        int all = 0;
        foreach (int weight in Weights)
        {
            all += weight;
        }
        long sum = 0;
        while (sum < bytes)
        {
            int at = (int)(Next() % (uint)all);
            int method = 0;
            while (at >= Weights[method])
            {
                at -= Weights[method];
                method++;
            }
            long before = GC.GetAllocatedBytesForCurrentThread();
            Make(method);
            long made = GC.GetAllocatedBytesForCurrentThread() - before;
            methods[Methods[method]] += made;
            sum += made;
        }
    }

    private uint Next()
    {
        random = random * 1664525 + 1013904223;
        return random >> 8;
    }

    private void Make(int method)
    {
        switch (method)
        {
            case 0: MakeSmall(); break;
            case 1: MakePair(); break;
            case 2: MakeText(); break;
            case 3: MakeBytes(); break;
            case 4: MakeBox(); break;
            case 5: MakeNumber(); break;
            case 6: MakeBricks(); break;
            case 7: MakeTable(); break;
            case 8: MakeList(); break;
            case 9: MakeTree(4); break;
            case 10: MakeLarge(); break;
            default: MakeLarger(); break;
        }
    }

    /// Counts what was allocated since `before` for a class.
    private void Counts(string name, long before)
    {
        classes[name] += GC.GetAllocatedBytesForCurrentThread() - before;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeSmall()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        last = new Small();
        Counts("Small", before);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakePair()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        last = new Pair<string>();
        Counts("Pair<string>", before);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeText()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        last = new string('x', 1 + (int)(Next() % 60));
        Counts("string", before);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeBytes()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        last = new byte[Next() % 2000];
        Counts("byte[]", before);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeBox()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        last = new Brick();
        Counts("boxed Brick", before);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeNumber()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        last = (int)Next();
        Counts("boxed int", before);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeBricks()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        last = new Brick[Next() % 40];
        Counts("Brick[]", before);
    }

    /// A dictionary with its two arrays. The sizes of the dictionary alone and of one array are measured by allocating them.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeTable()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        Dictionary<string, State> table = new Dictionary<string, State>();
        Counts("System.Collections.Generic.Dictionary<string, State>", before);
        before = GC.GetAllocatedBytesForCurrentThread();
        int length = table.EnsureCapacity(10 + (int)(Next() % 20));
        long arrays = GC.GetAllocatedBytesForCurrentThread() - before;
        before = GC.GetAllocatedBytesForCurrentThread();
        last = new int[length];
        long buckets = GC.GetAllocatedBytesForCurrentThread() - before;
        classes["int[]"] += 2 * buckets;
        classes["System.Collections.Generic.Dictionary<string, State>.Entry[]"] += arrays - buckets;
        last = table;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeList()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        List<long> list = new List<long>();
        Counts("System.Collections.Generic.List<long>", before);
        before = GC.GetAllocatedBytesForCurrentThread();
        list.Capacity = 4 + (int)(Next() % 30);
        Counts("long[]", before);
        last = list;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeTree(int depth)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        last = Tree(depth);
        Counts("Node", before);
    }

    private static Node Tree(int depth)
    {
        return depth == 0 ? new Node() : new Node { Left = Tree(depth - 1), Right = Tree(depth - 1) };
    }

    /// Two sizes of large objects, of which each second alone exceeds the bytes between two of the runtime's samples.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeLarge()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        last = new char[45_000];
        Counts("char[]", before);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeLarger()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        last = new double[20_000];
        Counts("double[]", before);
    }
}
