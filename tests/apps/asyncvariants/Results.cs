using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Threading.Tasks;

namespace AsyncVariants
{
    internal struct Big
    {
        internal long A, B, C;
    }

    internal struct Mixed
    {
        internal string Text;
        internal double Number;
    }

    internal struct Float4
    {
        internal float A, B, C, D;
    }

    /// Results of every kind: in integer and vector registers, in both, in memory, none. Each method is suspended on its way, or
    /// is not, as the caller wants it.
    internal static class Results
    {
        internal static async Task All(int n)
        {
            foreach (bool waits in new[] { true, false })
            {
                await Nothing(waits);
                await ValueNothing(waits);
                // The sums use registers of the caller that a call may change.
                double sum = n * 0.5;
                sum += await Double(n, waits) + await ValueDouble(n, waits) + await Single(n, waits);
                (double x, double y) = await Two(n, waits);
                (x, y) = (x + sum, y + (await ValueTwo(n, waits)).Item2);
                Vector4 v = await Vector(n, waits) + await ValueVector(n, waits);
                Vector256<double> wide = await Wide(n, waits);
                Float4 f = await Floats(n, waits);
                Console.WriteLine($"{sum} {x} {y} {v.X} {v.Y} {v.Z} {v.W} {wide} {f.A} {f.B} {f.C} {f.D}");
                Big big = await Large(n, waits), large = await ValueLarge(n, waits);
                Mixed mixed = await Both(n, waits);
                Console.WriteLine($"{big.A + large.A} {big.B + large.B} {big.C + large.C} {mixed.Text} {mixed.Number}");
                Console.WriteLine($"{await Int(n, waits)} {await ValueInt(n, waits)} {await Bool(n, waits)}");
                Console.WriteLine($"{await Text(n, waits)} {await ValueText(n, waits)} {await Decimal(n, waits)} {await Long(n, waits)}");
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task Nothing(bool waits)
        {
            if (waits) await Task.Yield();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async ValueTask ValueNothing(bool waits)
        {
            if (waits) await Task.Yield();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<double> Double(double n, bool waits)
        {
            if (waits) await Task.Yield();
            return n + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async ValueTask<double> ValueDouble(double n, bool waits)
        {
            if (waits) await Task.Yield();
            return n + 2;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<float> Single(float n, bool waits)
        {
            if (waits) await Task.Yield();
            return n + 3;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<(double, double)> Two(double n, bool waits)
        {
            if (waits) await Task.Yield();
            return (n + 1, n + 2);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async ValueTask<(double, double)> ValueTwo(double n, bool waits)
        {
            if (waits) await Task.Yield();
            return (n + 3, n + 4);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<Vector4> Vector(float n, bool waits)
        {
            if (waits) await Task.Yield();
            return new Vector4(n, 2, 3, 4);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async ValueTask<Vector4> ValueVector(float n, bool waits)
        {
            if (waits) await Task.Yield();
            return new Vector4(n, 6, 7, 8);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<Vector256<double>> Wide(double n, bool waits)
        {
            if (waits) await Task.Yield();
            return Vector256.Create(n, 2, 3, 4);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<Float4> Floats(float n, bool waits)
        {
            if (waits) await Task.Yield();
            return new Float4 { A = n, B = n + 1, C = n + 2, D = n + 3 };
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<Big> Large(long n, bool waits)
        {
            if (waits) await Task.Yield();
            return new Big { A = n, B = n + 1, C = n + 2 };
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async ValueTask<Big> ValueLarge(long n, bool waits)
        {
            if (waits) await Task.Yield();
            return new Big { A = n + 3, B = n + 4, C = n + 5 };
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<Mixed> Both(int n, bool waits)
        {
            if (waits) await Task.Yield();
            return new Mixed { Text = "mixed " + n, Number = n + 0.25 };
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<int> Int(int n, bool waits)
        {
            if (waits) await Task.Yield();
            return n + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async ValueTask<int> ValueInt(int n, bool waits)
        {
            if (waits) await Task.Yield();
            return n + 2;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<bool> Bool(int n, bool waits)
        {
            if (waits) await Task.Yield();
            return n % 2 == 0;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<string> Text(int n, bool waits)
        {
            if (waits) await Task.Yield();
            return "text " + n;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async ValueTask<string> ValueText(int n, bool waits)
        {
            if (waits) await Task.Yield();
            return "value " + n;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<decimal> Decimal(int n, bool waits)
        {
            if (waits) await Task.Yield();
            return n + 0.5m;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<long> Long(long n, bool waits)
        {
            if (waits) await Task.Yield();
            return n << 33;
        }
    }
}
