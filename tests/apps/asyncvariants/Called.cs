using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace AsyncVariants
{
    internal interface IMeasured
    {
        Task<double> Measure(double factor);
    }

    internal struct Point : IMeasured
    {
        internal double X, Y;

        public async Task<double> Measure(double factor)
        {
            // A method of a struct works with a copy after it was suspended.
            double sum = X + Y;
            await Task.Yield();
            return sum * factor;
        }
    }

    internal class Shape : IMeasured
    {
        public virtual async Task<double> Measure(double factor)
        {
            await Task.Yield();
            return factor;
        }
    }

    internal sealed class Square : Shape
    {
        internal double Side;

        public override async Task<double> Measure(double factor)
        {
            return Side * Side * await base.Measure(factor);
        }
    }

    /// A stream whose methods the framework calls and awaits.
    internal sealed class Counted : Stream
    {
        private int left = 3;

        public override bool CanRead => true;
        public override bool CanSeek => false;
        public override bool CanWrite => false;
        public override long Length => throw new NotSupportedException();
        public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken token = default)
        {
            await Task.Yield();
            if (left == 0) return 0;
            buffer.Span[0] = (byte)('a' + left--);
            return 1;
        }

        public override void Flush() => throw new NotSupportedException();
        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();
        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();
        public override void SetLength(long value) => throw new NotSupportedException();
        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }

    /// Calls through interfaces, overrides, delegates and the framework, and calls with many arguments.
    internal static class Called
    {
        internal static async Task All(int n)
        {
            IMeasured point = new Point { X = n, Y = 0.5 };
            Shape square = new Square { Side = 2.5 };
            Func<double, Task<double>> measure = square.Measure;
            Console.WriteLine($"{await point.Measure(2)} {await square.Measure(3)} {await measure(4)}");
            MemoryStream copy = new MemoryStream();
            await new Counted().CopyToAsync(copy);
            using StreamReader reader = new StreamReader(new Counted());
            Console.WriteLine($"{copy.Length} {await reader.ReadToEndAsync()}");
            Console.WriteLine(await Many(n, 2, 3, 4, 5, 6, 7, 8.5, "nine", new Big { C = 10 }, 11.5f));
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<double> Many(int a, int b, int c, int d, int e, int f, int g, double h, string i, Big j, float k)
        {
            await Task.Yield();
            return a + b + c + d + e + f + g + h + i.Length + j.C + k;
        }
    }
}
