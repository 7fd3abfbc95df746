using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Text;

namespace Vectors;

/// <summary>Vectors of every width, passed and returned, and text that the framework handles with vectors: the
/// registers are wider than those of other values, also where calls in tail position become jumps.</summary>
public static class Program
{
    private struct Wrapped
    {
        public Vector128<long> Inner;
    }

    private struct Beside
    {
        public long Number;
        public Vector128<long> Inner;
    }

    private struct Floats
    {
        public Vector4 Inner;
    }

    /// <summary>Prints the received values.</summary>
    public static int Main()
    {
        for (int i = 1; i <= 20; i++)
            Round(i);
        for (int length = 10; length < 200; length += 17)
            Console.WriteLine(Encoding.ASCII.GetString(Encoding.UTF8.GetBytes(Text(length))));
        return 0;
    }

    private static string Text(int length)
    {
        var text = new StringBuilder();
        for (int i = 0; i < length; i++)
            text.Append((char)('!' + (i % 90)));
        return text.ToString();
    }

    private static void Round(int i)
    {
        Vector64<int> v64 = Vector64.Create(i, -i);
        Vector128<long> v128 = Vector128.Create(i, -1L - i);
        Vector256<long> v256 = Vector256.Create(i, 2L * i, 3L * i, 4L * i);
        Vector<long> any = new Vector<long>(i);
        var wrapped = new Wrapped { Inner = v128 };
        Show("returned 64", Return(v64, 1).ToString());
        Show("returned 128", Return(v128, 1).ToString());
        Show("returned 256", Return(v256, 1).ToString());
        Show("returned any", Return(any, 1).ToString());
        Show("made 128", Make128(i).ToString());
        Show("made 256", Make256(i).ToString());
        Show("added 128", Add(v128, v128, i).ToString());
        Show("added 256", Add(v256, v256, i).ToString());
        Show("many", Many(v128, v128, v128, v128, v128, v128, v128, v128, v128).ToString());
        Show("mixed", Mixed(1.5, v128, 2.5f, v256, 3.5).ToString());
        Show("wrapped", Return(wrapped, 1).Inner.ToString());
        Show("beside", Return(new Beside { Number = i, Inner = v128 }, 1).Inner.ToString());
        Show("generic 128", Generic<Vector128<long>>(v128).ToString());
        Show("generic 256", Holder<Vector256<long>>.Same(v256).ToString());
        Show("generic wrapped", Generic<Wrapped>(wrapped).Inner.ToString());
        Show("two", Return(new Vector2(i, -i), 1).ToString());
        Show("three", Return(new Vector3(i, -i, 2 * i), 1).ToString());
        Show("four", Return(new Vector4(i, -i, 2 * i, -2 * i), 1).ToString());
        Show("floats", Return(new Floats { Inner = new Vector4(i, -i, 2 * i, -2 * i) }, 1).Inner.ToString());
        Show("quaternion", Return(new Quaternion(i, -i, 2 * i, -2 * i), 1).ToString());
        Show("nullable", Return((Vector128<long>?)v128, 1).ToString());
        Show("by reference", Reference(ref v128).ToString());
#if NET8
        Vector512<long> v512 = Vector512.Create(i, 2L, 3, 4, 5, 6, 7, 8L * i);
        Show("returned 512", Return(v512, 1).ToString());
        Show("added 512", Add(v512, v512, i).ToString());
#endif
    }

    private static void Show(string name, string value) => Console.WriteLine($"{name}: {value}");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static T Return<T>(T value, int number) => number == 0 ? default : value;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Vector128<long> Make128(long value) => Vector128.Create(value, -value);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Vector256<long> Make256(long value) => Vector256.Create(value, -value, value + 1, -value - 1);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Vector128<long> Add(Vector128<long> a, Vector128<long> b, int number) =>
        Vector128.Create(a.GetElement(0) + b.GetElement(0) + number, a.GetElement(1) + b.GetElement(1));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Vector256<long> Add(Vector256<long> a, Vector256<long> b, int number) =>
        Vector256.Create(a.GetElement(0) + b.GetElement(0) + number, a.GetElement(1), b.GetElement(2), a.GetElement(3));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Many(Vector128<long> a, Vector128<long> b, Vector128<long> c, Vector128<long> d, Vector128<long> e, Vector128<long> f, Vector128<long> g, Vector128<long> h, Vector128<long> i) =>
        a.GetElement(1) + b.GetElement(1) + c.GetElement(1) + d.GetElement(1) + e.GetElement(1) + f.GetElement(1) + g.GetElement(1) + h.GetElement(1) + i.GetElement(1);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Mixed(double a, Vector128<long> b, float c, Vector256<long> d, double e) =>
        a + b.GetElement(1) + c + d.GetElement(3) + e;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static T Generic<T>(T value) => value;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref Vector128<long> Reference(ref Vector128<long> value) => ref value;

#if NET8
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Vector512<long> Add(Vector512<long> a, Vector512<long> b, int number) => a + b + Vector512.Create((long)number);
#endif

    private static class Holder<T>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static T Same(T value) => value;
    }
}
