using System;
using Report;

namespace Cases;

/// <summary>ref, out and in parameters on enter and leave; ref returns; pointers; spans.</summary>
public static unsafe class References
{
    private static readonly int[] Cells = { 10, 20, 30 };

    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        int count = 2;
        Ref(ref count);
        Out(out int made, out string text);
        In(in count, new TwoDoubles { A = 1.5, B = 2.5 });
        string name = null;
        var item = new Large { A = 1, D = "d" };
        Color color = Color.Red;
        Mixed("first", ref name, out double half, in made, ref item, ref color);
        bool flag = true;
        byte small = 255;
        float single = 0.1f;
        Narrow(ref flag, ref small, ref single);
        int? maybe = 5;
        int[] array = { 1 };
        Wide(ref maybe, ref array, out decimal money);
        OfType(ref text);
        OfType(ref half);
        new Cart<string>().Swap(name, money);
        Cell(1) = 21;
        _ = Locked(1);
        int local = 77;
        Pointers(&local, null, &local);
        Spans(Cells, "span");
        call.Leave();
    }

    private static void Ref(ref int count)
    {
        Call call = Self.Enter(null, count);
        count++;
        call.Outs(count).Leave();
    }

    private static bool Out(out int made, out string text)
    {
        Call call = Self.Enter(null, Self.Out, Self.Out);
        made = -3;
        text = "made";
        return call.Outs(made, text).Leave(true);
    }

    private static int In(in int count, in TwoDoubles pair) => Self.Enter(null, count, pair).Leave(count);

    private static void Mixed(string first, ref string name, out double half, in int whole, ref Large item, ref Color color)
    {
        Call call = Self.Enter(null, first, name, Self.Out, whole, item, color);
        name = first + "!";
        half = 0.5;
        item.A = 2;
        color = Color.Blue;
        call.Outs(name, half, item, color).Leave();
    }

    private static void Narrow(ref bool flag, ref byte small, ref float single)
    {
        Call call = Self.Enter(null, flag, small, single);
        flag = false;
        small++;
        single = -0f;
        call.Outs(flag, small, single).Leave();
    }

    private static void Wide(ref int? maybe, ref int[] array, out decimal money)
    {
        Call call = Self.Enter(null, maybe, array, Self.Out);
        maybe = null;
        array = null;
        money = 9.99m;
        call.Outs(maybe, array, money).Leave();
    }

    private static void OfType<T>(ref T value)
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T)), value);
        value = default;
        call.Outs(value).Leave();
    }

    private static ref int Cell(int index)
    {
        Call call = Self.Enter(null, index);
        call.Leave(Cells[index]);
        return ref Cells[index];
    }

    private static ref readonly int Locked(int index)
    {
        Call call = Self.Enter(null, index);
        call.Leave(Cells[index]);
        return ref Cells[index];
    }

    private static int* Pointers(int* some, int* none, void* any)
    {
        Call call = Self.Enter(null, Described.Pointer(some), Described.Pointer(none), Described.Pointer(any));
        call.LeaveWith(Described.Pointer(some));
        return some;
    }

    private static ReadOnlySpan<char> Spans(Span<int> numbers, ReadOnlySpan<char> text)
    {
        Call call = Self.Enter(
            null,
            Described.Span<int>(numbers, typeof(Span<int>)),
            Described.Span(text, typeof(ReadOnlySpan<char>)));
        call.LeaveWith(Described.Span(text[1..], typeof(ReadOnlySpan<char>)));
        return text[1..];
    }
}
