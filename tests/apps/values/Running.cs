using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Report;

namespace Cases;

/// <summary>Exceptions, tasks, state machines.</summary>
public static class Running
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Exceptions();
        Tasks();
        Machines();
        call.Leave();
    }

    private static void Exceptions()
    {
        Call call = Self.Enter(null);
        Through.All(new Exception());
        Through.All(new InvalidOperationException("not now"));
        Through.All<Exception>(new ArgumentNullException("name"), new FileNotFoundException("where?", "file.txt"));
        Through.All(new OrderException(7, new TimeoutException("late")));
        Through.All(new AggregateException("several", new Exception("one"), new Exception("two")));
        Through.All<Exception>(new OperationCanceledException(), Thrown());
        call.Leave();
    }

    private static Exception Thrown()
    {
        Call call = Self.Enter(null);
        try
        {
            throw new NotSupportedException("thrown");
        }
        catch (NotSupportedException e)
        {
            return call.Leave(e);
        }
    }

    private static void Tasks()
    {
        Call call = Self.Enter(null);
        var pending = new TaskCompletionSource<int>();
        Through.All<Task>(Task.CompletedTask, pending.Task);
        Through.All(Task.FromResult(5), pending.Task);
        Through.All(Task.FromResult("result"));
        Through.All(Task.FromResult(new Mixed { A = 1 }));
        Through.All(Task.FromResult<object>(null));
        Through.All(Task.FromCanceled<int>(new CancellationToken(true)));
        Through.All(Task.FromException(new OrderException(9, null)));
        Through.All(Task.FromException<Guid>(new InvalidOperationException("failed")));
        Through.All(new Task(() => { }));
        Through.All<ValueTask>(default, new ValueTask(Task.CompletedTask));
        Through.All(new ValueTask<int>(5), new ValueTask<int>(Task.FromResult(6)));
        Through.All(new ValueTask<string>("value"));
        Through.All(new TaskAwaiter<int>());
        call.Leave();
    }

    private static void Machines()
    {
        Call call = Self.Enter(null);
        // The machine is the `this` of `MoveNext`: the fields of the waiting task show the same object.
        async Task<string> Waits(Task<int> task, string text, Small small)
        {
            int number = await task;
            return $"{number} {text} {small.A}";
        }

        IEnumerable<int> Counts(int end)
        {
            for (int i = 0; i < end; i++)
                yield return i;
        }

        var signal = new TaskCompletionSource<int>();
        Task<string> waiting = Waits(signal.Task, "text", new Small { A = 4 });
        Through.All<Task>(waiting);
        IEnumerator<int> numbers = Counts(3).GetEnumerator();
        numbers.MoveNext();
        Through.All(numbers);
        signal.SetResult(1);
        Through.All<Task>(waiting);
        call.Leave();
    }
}
