using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace AsyncVariants
{
    /// Suspensions in every part of a method: loops, handlers, recursion, iterators, closures; exceptions before and after them.
    internal static class Flow
    {
        internal static async Task All(int n)
        {
            Console.WriteLine($"{await Loop(n % 4)} {await Deep(5)} {await NotAsync(n)} {await Forwarded(n)}");
            Console.WriteLine($"{await Caught(1)} {await Caught(0)} {await Early(1)} {await Filtered(2)}");
            double sum = 0;
            await foreach (double item in Items(4)) sum += item;
            Func<int, Task<double>> lambda = async x =>
            {
                await Task.Yield();
                return x + sum;
            };
            async ValueTask<double> Local(double x)
            {
                await Task.Delay(1);
                return x + sum + n;
            }
            Console.WriteLine($"{sum} {await lambda(n)} {await Local(2)}");
            TaskCompletionSource<double> done = new TaskCompletionSource<double>();
            NoTask(done, n);
            Console.WriteLine($"{await done.Task} {string.Join(" ", await Task.WhenAll(Enumerable.Range(0, 8).Select(i => Loop(i % 3))))}");
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<double> Loop(int times)
        {
            double sum = 0.5;
            for (int i = 0; i < times; i++)
            {
                await Task.Yield();
                sum += i;
            }
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<double> Deep(int depth)
        {
            if (depth == 0)
            {
                await Task.Yield();
                return 0.25;
            }
            double below = await Deep(depth - 1);
            return below + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Task<double> NotAsync(int n)
        {
            return Loop(n % 3);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static ValueTask<double> Forwarded(int n) => new ValueTask<double>(n + 0.75);

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<int> Throws(int n)
        {
            await Task.Yield();
            if (n > 0) throw new InvalidOperationException("thrown " + n);
            return n;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<double> ThrowsAtOnce(int n)
        {
            if (n > 0) throw new ArgumentException("at once " + n);
            await Task.Yield();
            return n;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<string> Caught(int n)
        {
            try
            {
                return "returned " + await Throws(n);
            }
            catch (InvalidOperationException e)
            {
                await Task.Yield();
                return e.Message;
            }
            finally
            {
                await Task.Yield();
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async ValueTask<string> Early(int n)
        {
            try
            {
                await ThrowsAtOnce(n);
                return "nothing thrown";
            }
            catch (ArgumentException e)
            {
                return e.Message;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<double> Filtered(int n)
        {
            try
            {
                return await Throws(n);
            }
            catch (InvalidOperationException e) when (e.Message.Length > 3)
            {
                return e.Message.Length + 0.5;
            }
        }

        private static async IAsyncEnumerable<double> Items(int count)
        {
            for (int i = 0; i < count; i++)
            {
                await Task.Yield();
                yield return i + 0.5;
            }
        }

        private static async void NoTask(TaskCompletionSource<double> done, int n)
        {
            await Task.Yield();
            done.SetResult(n + 0.125);
        }
    }
}
