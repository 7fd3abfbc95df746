// Calls with structs of every kind that a calling convention treats differently, between arguments that would be
// wrong if one of them were looked up at the wrong location.
//
// The program is deterministic.

using System;
#if NET8
using System.Numerics;
using System.Runtime.Intrinsics;
#endif
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

#pragma warning disable 649

namespace Passing
{
    internal struct Empty { }
    [StructLayout(LayoutKind.Sequential, Size=16)]
    internal struct Empty16 { }
    [StructLayout(LayoutKind.Sequential, Size=12)]
    internal struct Empty12 { }
    internal struct EF { public Empty E; public float F; }
    internal struct FE { public float F; public Empty E; }
    internal struct DE { public double D; public Empty E; }
    internal struct ED { public Empty E; public double D; }
    internal struct LE { public long D; public Empty E; }
    internal struct E9 { public Empty A,B,C,D,E,F,G,H,I; }
    [StructLayout(LayoutKind.Explicit)]
    internal struct PadD { [FieldOffset(8)] public double D; }
    [StructLayout(LayoutKind.Explicit, Size=16)]
    internal struct DPad { [FieldOffset(0)] public double D; }
    [StructLayout(LayoutKind.Explicit, Size=16)]
    internal struct LPad { [FieldOffset(0)] public long D; }
    [StructLayout(LayoutKind.Explicit, Size=16)]
    internal struct IPad { [FieldOffset(4)] public int I; }
    [StructLayout(LayoutKind.Explicit)]
    internal struct PadI { [FieldOffset(12)] public int I; }
    [StructLayout(LayoutKind.Explicit)]
    internal struct Un { [FieldOffset(0)] public double D; [FieldOffset(0)] public int I; [FieldOffset(8)] public float F; }
    [StructLayout(LayoutKind.Explicit)]
    internal struct Mis { [FieldOffset(1)] public int I; [FieldOffset(8)] public float F; }
    [StructLayout(LayoutKind.Sequential, Pack=1)]
    internal struct Packed { public byte B; public int I; }
    [StructLayout(LayoutKind.Sequential, Pack=1)]
    internal struct PackedOk { public int I; public byte B; }
    [StructLayout(LayoutKind.Sequential, Pack=1)]
    internal struct F3 { public float X, Y, Z; }
    internal unsafe struct Fix { public fixed byte B[12]; }
    internal unsafe struct FixF { public fixed float B[3]; }
    internal unsafe struct FixI1 { public int A; public fixed int B[2]; }
    internal struct G<T> { public T A; public int B; }
    internal struct Dt { public DateTime D; public bool B; }
    internal struct ObjectDouble { public object K; public double V; }

#if NET8
    internal struct Wide { public Int128 Value; }
    internal struct WideAndInt { public int A; public UInt128 Value; }
#endif

    // Each takes and returns one struct in many ways.
    internal static class Each<T>
    {
        public static void Way(T value)
        {
            Between(101, value, 1.5, 102, 103, 2.5f, 104);
            Sixth(1, 2, 3, 4, 5, value, 6);
            OnStack(1, 2, 3, 4, 5, 6, 7, value, 8, value, 9);
            Many(value, value, value, value, value, value, value, value, value);
            Return(11, value, 12);
            new Box<T>(value).Swap(13, value, 14);
            new Holder<T> { Value = value }.Swap(15, value, 16);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Between(int a, T value, double d, int b, int c, float f, long g) { return a + b; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Sixth(int a, int b, int c, int d, int e, T value, int f) { return a + b; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int OnStack(int a, int b, int c, int d, int e, int f, int g, T v, int h, T w, int i) { return i; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Many(T a, T b, T c, T d, T e, T f, T g, T h, T i) { return 5; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static T Return(int a, T value, int b) { return value; }
    }

    internal sealed class Box<T>
    {
        private readonly T kept;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public Box(T value) { kept = value; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public T Swap(int a, T value, int b) { return kept; }
    }

    internal struct Holder<T>
    {
        public T Value;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public T Swap(int a, T value, int b) { return Value; }
    }

    // Shared code: by the class of `this`, by the class, by the method, with and without an address for the result.
    internal static class Shared
    {
        public static void All()
        {
            Generic("a", 1);
            Generic(new object[] { "b" }, 2);
            Twice("c", 3);
            Large("d", 4);
            Each<string>.Way("e");
            Each<object>.Way("f");
            new Pair<string, int>().Made("g", 5, "h");
            new Pair<string, Guid>().Made("i", Guid.Empty, "j");
            Cast<object>.From(new Items<string> { All = new[] { "k" } }, "l");
            Cast<Guid>.From(new Items<string> { All = new[] { "m" } }, "n");
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static T Generic<T>(T value, int after) { return value; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Both<T, T> Twice<T>(T value, int after) { return new Both<T, T> { A = value, B = value }; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Both<T, Guid> Large<T>(T value, int after) { return new Both<T, Guid> { A = value }; }
    }

    internal struct Both<T, U> { public T A; public U B; }

    // The size does not depend on T, which the code of Cast<T>.From<U> does not have.
    internal struct Items<T> { public T[] All; }

    internal static class Cast<T>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static Items<T> From<U>(Items<U> from, U after) { return new Items<T> { All = from.All as T[] }; }
    }

    internal class Pair<T, U>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public Both<T, U> Made<V>(T a, U b, V c) { return new Both<T, U> { A = a, B = b }; }
    }

    internal static class Program
    {
        // The argument is how often everything is called.
        private static unsafe int Main(string[] args)
        {
            int times = args.Length == 0 ? 1 : int.Parse(args[0]);
            for (int i = 0; i < times; i++)
            {
                Layouts();
                Shared.All();
#if NET8
                Modern();
#endif
            }
            return 0;
        }

        private static unsafe void Layouts()
        {
            Each<Empty>.Way(default(Empty));
            Each<Empty16>.Way(default(Empty16));
            Each<Empty12>.Way(default(Empty12));
            Each<EF>.Way(new EF{ F=3.25f });
            Each<FE>.Way(new FE{ F=3.5f });
            Each<DE>.Way(new DE{ D=4.25 });
            Each<ED>.Way(new ED{ D=4.5 });
            Each<LE>.Way(new LE{ D=444 });
            Each<E9>.Way(default(E9));
            Each<PadD>.Way(new PadD{ D=6.5 });
            Each<DPad>.Way(new DPad{ D=7.5 });
            Each<LPad>.Way(new LPad{ D=777 });
            Each<IPad>.Way(new IPad{ I=778 });
            Each<PadI>.Way(new PadI{ I=779 });
            Each<Un>.Way(new Un{ D=8.5,F=9.5f });
            Each<Mis>.Way(new Mis{ I=5,F=9.5f });
            Each<Packed>.Way(new Packed{ I=6,B=7 });
            Each<PackedOk>.Way(new PackedOk{ I=6,B=7 });
            Each<F3>.Way(new F3{ X=1,Y=2,Z=3 });
            var x = default(Fix);
            x.B[11]=9;
            Each<Fix>.Way(x);
            var y = default(FixF);
            y.B[2]=9;
            Each<FixF>.Way(y);
            var z=default(FixI1);
            z.A=3;
            z.B[1]=4;
            Each<FixI1>.Way(z);
            Each<G<double>>.Way(new G<double>{ A=1.25,B=5 });
            Each<G<string>>.Way(new G<string>{ A="x",B=5 });
            Each<G<Empty>>.Way(new G<Empty>{ B=5 });
            Each<G<G<float>>>.Way(new G<G<float>>{ B=5 });
            Each<G<float>>.Way(new G<float>{ A=2,B=5 });
            Each<Guid>.Way(new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
            Each<decimal>.Way(5.5m);
            Each<DateTime>.Way(new DateTime(5));
            Each<Dt>.Way(new Dt{ D=new DateTime(7),B=true });
            Each<int?>.Way(5);
            Each<double?>.Way(5);
            Each<float?>.Way(5);
            Each<long?>.Way(5);
            Each<TimeSpan>.Way(new TimeSpan(9));
            Each<DateTimeOffset>.Way(default(DateTimeOffset));
            Each<IntPtr>.Way((IntPtr)5);
            Each<char>.Way('c');
            Each<Memory<int>>.Way(new int[2]);
            Each<ArraySegment<int>>.Way(default);
            Each<ObjectDouble>.Way(default);
        }

#if NET8
        private static void Modern()
        {
            Each<Int128>.Way(new Int128(5,6));
            Each<UInt128>.Way(new UInt128(5,6));
            Each<Wide>.Way(new Wide{ Value=9 });
            Each<WideAndInt>.Way(new WideAndInt{ A=4,Value=9 });
            Each<Half>.Way((Half)1.5);
            Each<Vector2>.Way(new Vector2(1,2));
            Each<Vector3>.Way(new Vector3(1,2,3));
            Each<Vector4>.Way(new Vector4(1,2,3,4));
            Each<Quaternion>.Way(new Quaternion(1,2,3,4));
            Each<Complex>.Way(new Complex(1,2));
            Each<System.Runtime.Intrinsics.Vector128<int>>.Way(System.Runtime.Intrinsics.Vector128.Create(1,2,3,4));
            Each<System.Runtime.Intrinsics.Vector256<int>>.Way(System.Runtime.Intrinsics.Vector256.Create(1,2,3,4,5,6,7,8));
            Each<System.Runtime.Intrinsics.Vector64<int>>.Way(System.Runtime.Intrinsics.Vector64.Create(1,2));
            Each<Vector<int>>.Way(Vector<int>.One);
            Each<DateOnly>.Way(new DateOnly(2020,1,2));
            Each<Index>.Way(^5);
            Each<Range>.Way(1..^2);
            Each<System.Runtime.InteropServices.CLong>.Way(new(5));
            Each<System.Runtime.InteropServices.NFloat>.Way(new(5.5));
        }
#endif
    }
}
