#if NET8
using System;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using Report;

namespace Cases;

/// <summary>Features of newer runtimes than 3.1.</summary>
public static unsafe class Newer
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Through.All((Half)1.5, Half.NaN);
        Through.All(Int128.MinValue, Int128.MaxValue);
        Through.All(UInt128.MaxValue);
        Through.All(new DateOnly(2024, 2, 29));
        Through.All(new TimeOnly(13, 14, 15));
        Through.All<Half?>((Half)2, null);
        Through.All<Int128?>(5);
        Through.All(new[] { (Half)1 });
        InlineArrays();
        Through.All(Vector512.Create(1L, 2, 3, 4, 5, 6, 7, 8));
        Through.All(Vector512.Create(1.5f));
        Through.All(Vector128.Create((nint)3));
        Through.All(new Record("name", 5));
        Through.All(new RecordStruct("name", 5));
        int number = 5;
        new RefField(ref number, "text").Read();
        Null(ref Unsafe.NullRef<int>(), in Unsafe.NullRef<Mixed>());
        Functions(&Twice, (void*)(delegate*<int, int>)&Twice);
        ReadOnly(in number, 7);
        call.Leave();
    }

    private static void InlineArrays()
    {
        Call call = Self.Enter(null);
        var four = default(Four<int>);
        var texts = default(Four<string>);
        var nested = default(Four<Four<byte>>);
        var structs = default(Four<Mixed>);
        for (int i = 0; i < 4; i++)
        {
            four[i] = i * 10;
            texts[i] = i == 2 ? null : $"text {i}";
            nested[i][3 - i] = (byte)i;
            structs[i].A = i;
        }
        Through.All(four);
        Through.All(texts);
        Through.All(nested);
        Through.All(structs);
        Through.All(new Pair<Four<int>, byte> { Left = four, Right = 1 });
        call.Leave();
    }

    private static int Twice(int value) => Self.Enter(null, value).Leave(value * 2);

    private static delegate*<int, int> Functions(delegate*<int, int> some, void* address)
    {
        Call call = Self.Enter(null, Described.Pointer(some), Described.Pointer(address));
        call.LeaveWith(Described.Pointer(some));
        return some;
    }

    private static bool Null(ref int none, in Mixed nothing)
    {
        Call call = Self.Enter(null, null, null);
        return call.Outs((object)null).Leave(Unsafe.IsNullRef(ref none));
    }

    private static ref readonly int ReadOnly(in int read, ref readonly int alsoRead)
    {
        Call call = Self.Enter(null, read, alsoRead);
        call.LeaveWith(read);
        return ref read;
    }

    private static bool ReadOnly(in int read, int other) => Self.Enter(null, read, other).Leave(ReadOnly(in read, in other) == read);

    [InlineArray(4)]
    private struct Four<T>
    {
        private T first;
    }

    private sealed record Record(string Name, int Count);

    private readonly record struct RecordStruct(string Name, int Count);

    private readonly ref struct RefField
    {
        private readonly ref int number;
        private readonly string text;

        public RefField(ref int number, string text)
        {
            this.number = ref number;
            this.text = text;
        }

        public int Read()
        {
            Call call = Self.Enter(Described.Fields(typeof(RefField), ("number", number), ("text", text)));
            return call.Leave(number);
        }
    }
}
#endif
