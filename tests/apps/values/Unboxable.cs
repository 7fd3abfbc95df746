using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Report;

namespace Cases;

/// <summary>Values that cannot be boxed: spans, ref structs, pointers, typed references.</summary>
public static unsafe class Unboxable
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Spans();
        Pointers();
        TypedReferences();
        Variable();
        new Holder(stackalloc[] { 1, 2 }, "held").First(3);
        call.Leave();
    }

    private static void Spans()
    {
        Call call = Self.Enter(null);
        Bytes(new byte[] { 1, 2 });
        Bytes(stackalloc byte[] { 3 });
        Bytes(default);
        Chars("characters".AsSpan(2, 4));
        Texts(new[] { "a", null });
        Structs(new[] { new Mixed { A = 1, C = "c" }, default });
        Enums(new[] { OfInt.Red, (OfInt)77 });
        Of<int>(new[] { 1, 2 });
        Of<string>(new[] { "generic" });
        Of<Pair<byte, string>>(new[] { new Pair<byte, string> { Left = 1, Right = "r" } });
        Of<Guid?>(new Guid?[] { null, Guid.Empty });
        call.Leave();
    }

    private static Span<byte> Bytes(Span<byte> span)
    {
        Call call = Self.Enter(null, Described.Span<byte>(span, typeof(Span<byte>)));
        call.LeaveWith(Described.Span<byte>(span, typeof(Span<byte>)));
        return span;
    }

    private static ReadOnlySpan<char> Chars(ReadOnlySpan<char> span)
    {
        Call call = Self.Enter(null, Described.Span(span, typeof(ReadOnlySpan<char>)));
        call.LeaveWith(Described.Span(span, typeof(ReadOnlySpan<char>)));
        return span;
    }

    private static int Texts(Span<string> span) => Self.Enter(null, Described.Span<string>(span, typeof(Span<string>))).Leave(span.Length);

    private static int Structs(Span<Mixed> span) => Self.Enter(null, Described.Span<Mixed>(span, typeof(Span<Mixed>))).Leave(span.Length);

    private static int Enums(ReadOnlySpan<OfInt> span) => Self.Enter(null, Described.Span(span, typeof(ReadOnlySpan<OfInt>))).Leave(span.Length);

    private static ReadOnlySpan<T> Of<T>(ReadOnlySpan<T> span)
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T)), Described.Span(span, typeof(ReadOnlySpan<T>)));
        call.LeaveWith(Described.Span(span, typeof(ReadOnlySpan<T>)));
        return span;
    }

    private static void Pointers()
    {
        Call call = Self.Enter(null);
        int number = 5;
        int* pointer = &number;
        var small = new Small { A = 3 };
        var pair = new Pair<int, byte> { Left = 1, Right = 2 };
        Nothing(pointer, null);
        Numbers(pointer, &pointer);
        Struct(&small, &pair);
        char* text = stackalloc[] { 'z' };
        Characters(text);
        void** array = stackalloc void*[] { pointer, null };
        Addresses(array);
        Fields(new WithPointers { Number = pointer, Anything = array });
        call.Leave();
    }

    private static void* Nothing(void* some, void* none)
    {
        Call call = Self.Enter(null, Described.Pointer(some), Described.Pointer(none));
        call.LeaveWith(Described.Pointer(some));
        return some;
    }

    private static int Numbers(int* one, int** two) =>
        Self.Enter(null, Described.Pointer(one, typeof(int), *one), Described.Pointer(two, typeof(void), Described.Pointer(*two, typeof(int), **two))).Leave(**two);

    private static Small* Struct(Small* small, Pair<int, byte>* pair)
    {
        Call call = Self.Enter(null, Described.Pointer(small, typeof(Small), *small), Described.Pointer(pair, typeof(Pair<int, byte>), *pair));
        call.LeaveWith(Described.Pointer(small, typeof(Small), *small));
        return small;
    }

    private static char Characters(char* text) => Self.Enter(null, Described.Pointer(text, typeof(char), *text)).Leave(*text);

    private static bool Addresses(void** array) =>
        Self.Enter(null, Described.Pointer(array, typeof(void), Described.Pointer(*array))).Leave(array != null);

    private static int Fields(WithPointers pointers) => Self.Enter(null, pointers).Leave(*pointers.Number);

    /// <summary>Methods with variable arguments: the runtime refuses to compile them, so that there is none to trace. On Windows
    /// it compiles them, and they are left out: their values are not located.</summary>
    private static Exception Variable()
    {
        Call call = Self.Enter(null);
        if (RuntimeInformation.IsOSPlatform(OSPlatform.Windows))
        {
            return call.Leave<Exception>(null);
        }
        Func<int> count = () => Count(__arglist(1, "two"));
        try
        {
            count();
        }
        catch (InvalidProgramException e)
        {
            return call.Leave(e);
        }
        throw new PlatformNotSupportedException("this runtime has methods with variable arguments: they have to be tested");
    }

    private static int Count(__arglist) => new ArgIterator(__arglist).GetRemainingCount();

    private static void TypedReferences()
    {
        Call call = Self.Enter(null);
        int number = 7;
        string text = "typed";
        var mixed = new Mixed { A = 1, B = 2.5f, C = "three" };
        OfInt red = OfInt.Red;
        var list = new[] { 1, 2 };
        Typed(__makeref(number), 7);
        Typed(__makeref(text), "typed");
        Typed(__makeref(mixed), mixed);
        Typed(__makeref(red), OfInt.Red);
        Typed(__makeref(list), list);
        call.Leave();
    }

    private static Type Typed(TypedReference reference, object value)
    {
        Call call = Self.Enter(null, Described.Typed(value), value);
        return call.Leave(__reftype(reference));
    }

    private struct WithPointers
    {
        public int* Number;
        public void** Anything;
    }

    private readonly ref struct Holder
    {
        private readonly Span<int> numbers;
        private readonly string text;

        public Holder(Span<int> numbers, string text)
        {
            this.numbers = numbers;
            this.text = text;
        }

        public int First(int add)
        {
            Call call = Self.Enter(
                Described.Fields(typeof(Holder), ("numbers", Described.Span<int>(numbers, typeof(Span<int>))), ("text", text)), add);
            return call.Leave(numbers[0] + add);
        }
    }
}
