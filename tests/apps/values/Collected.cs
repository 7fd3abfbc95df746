using System;
using System.Buffers;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using Report;

namespace Cases;

/// <summary>Collections, memory, vectors.</summary>
public static class Collected
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Lists();
        Hashed();
        Memories();
        Vectors();
        call.Leave();
    }

    private static void Lists()
    {
        Call call = Self.Enter(null);
        Through.All(new List<int> { 1, 2, 3 }, new List<int>());
        Through.All(new List<string> { "a", null });
        Through.All(new List<Mixed>(8) { new Mixed { A = 1, C = "c" } });
        Through.All(new List<List<byte>> { new List<byte> { 1 }, null });
        Through.All(new List<OfInt?> { OfInt.Red, null });
        Through.All<IReadOnlyList<long>>(new List<long> { 1 });
        Through.All(new ListOfMine { 1, 2 });
        var queue = new Queue<int>(4);
        for (int i = 0; i < 6; i++)
        {
            queue.Enqueue(i);
            if (i < 3)
                queue.Dequeue();
        }
        Through.All(queue, new Queue<int>());
        Through.All(new Queue<string>(new[] { "first", "second" }));
        Through.All(new Stack<int>(new[] { 1, 2, 3 }));
        Through.All(new Stack<Base>(new[] { new Base { Name = "bottom" }, new Derived { Name = "top" } }), new Stack<Base>());
        Through.All(ImmutableArray.Create(1, 2), default);
        Through.All(ImmutableArray.Create("a", "b"), ImmutableArray<string>.Empty);
        Through.All(ImmutableArray.Create(new Small { A = 1 }));
        call.Leave();
    }

    private static void Hashed()
    {
        Call call = Self.Enter(null);
        var numbers = new Dictionary<string, int> { ["one"] = 1, ["two"] = 2, ["three"] = 3 };
        numbers.Remove("two");
        Through.All(numbers, new Dictionary<string, int>());
        Through.All(new Dictionary<int, List<string>> { [1] = new List<string> { "a" }, [2] = null });
        Through.All(new Dictionary<OfInt, Mixed> { [OfInt.Red] = new Mixed { A = 1 } });
        Through.All(new Dictionary<Guid, object> { [Guid.Empty] = 5 });
        Through.All<IDictionary<string, string>>(new Dictionary<string, string> { ["k"] = "v" });
        var set = new HashSet<int> { 1, 2, 3, 4 };
        set.Remove(2);
        Through.All(set, new HashSet<int>());
        Through.All(new HashSet<string> { "a", null, "b" });
        Through.All(new HashSet<(int, byte)> { (1, 2) });
#if NET9
        Ordered();
#endif
        call.Leave();
    }

#if NET9
    private static void Ordered()
    {
        Call call = Self.Enter(null);
        var ordered = new OrderedDictionary<string, int> { ["b"] = 1, ["a"] = 2, ["c"] = 3 };
        Through.All(ordered, new OrderedDictionary<string, int>());
        ordered.Insert(1, "middle", 4);
        ordered.Insert(0, "first", 5);
        Through.All(ordered);
        ordered.Remove("a");
        ordered.RemoveAt(0);
        ordered["b"] = -1;
        ordered.SetAt(1, "changed", 6);
        Through.All(ordered);
        for (int i = 0; i < 20; i++)
            ordered.Insert(i % 3, "more " + i, i);
        for (int i = 0; i < 15; i += 2)
            ordered.Remove("more " + i);
        Through.All(ordered);
        ordered.TrimExcess();
        ordered.Add("last", 7);
        Through.All(ordered);
        ordered.Clear();
        Through.All(ordered);
        Through.All(new OrderedDictionary<long, Mixed> { [5] = new Mixed { A = 1 }, [-5] = new Mixed { C = "c" } });
        call.Leave();
    }
#endif

    private static void Memories()
    {
        Call call = Self.Enter(null);
        Through.All(new Memory<int>(new[] { 1, 2, 3, 4 }, 1, 2), default);
        Through.All(new Memory<string>(new[] { "a", "b" }));
        Through.All(new ReadOnlyMemory<byte>(new byte[] { 1, 2 }), ReadOnlyMemory<byte>.Empty);
        Through.All("some text".AsMemory(5), "whole".AsMemory());
        Through.All(new ReadOnlyMemory<Mixed>(new[] { new Mixed { A = 5 } }));
        Through.All(new ReadOnlySequence<byte>(new byte[] { 1, 2, 3 }).First);
        // The items are what the type says, whatever the array has.
        Through.All(new Memory<int>((int[])(object)new uint[] { 1, uint.MaxValue }));
        Through.All(new ReadOnlyMemory<ushort>((ushort[])(object)new short[] { -1, 2 }, 0, 1));
        Through.All(new ArraySegment<byte>((byte[])(object)new sbyte[] { -1, 2, -3 }, 1, 2));
        Through.All(new ArraySegment<OfInt>((OfInt[])(object)new[] { 1, 77 }));
        Through.All(new ArraySegment<object>(new string[] { "a", null }));
        int[] numbers = (int[])(object)new uint[] { uint.MaxValue };
        Through.All(Unsafe.As<int[], ImmutableArray<int>>(ref numbers));
        call.Leave();
    }

    private static void Vectors()
    {
        Call call = Self.Enter(null);
        Through.All(new Vector2(1, 2));
        Through.All(new Vector3(1, 2, 3));
        Through.All(new Vector4(1, 2, 3, 4));
        Through.All(new Quaternion(1, 2, 3, 4));
        Through.All(Matrix3x2.Identity);
        Through.All(new Plane(1, 2, 3, 4));
        Through.All(new Vector<int>(5), Vector<int>.One);
        Through.All(new Vector<double>(1.5));
        Through.All(new Vector<byte>(7));
        Through.All(Vector64.Create(1, 2));
        Through.All(Vector64.Create(1.5f, 2.5f));
        Through.All(Vector128.Create(1, 2, 3, 4));
        Through.All(Vector128.Create(1.5, -2));
        Through.All(Vector128.Create((byte)1));
        Through.All(Vector256.Create(1L, 2, 3, 4));
        Through.All(Vector256.Create(1f, 2, 3, 4, 5, 6, 7, 8));
        Through.All(new[] { Vector128.Create((short)3) });
        call.Leave();
    }

    private sealed class ListOfMine : List<int>
    {
        public string Extra = "more";
    }
}
