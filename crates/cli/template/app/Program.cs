// The program of the live test: calls, exceptions, and some work.
using System;

public static class Program
{
    public static int Main()
    {
        long sum = 0;
        for (int round = 0; round < 3; round++)
        {
            sum += Work(round);
            try
            {
                Fail(round);
            }
            catch (InvalidOperationException e)
            {
                Console.WriteLine(e.Message);
            }
        }
        Console.WriteLine(sum);
        return 0;
    }

    private static long Work(int round)
    {
        long sum = round;
        long end = Environment.TickCount64 + 100;
        while (Environment.TickCount64 < end)
        {
            sum |= 1;
        }
        return sum;
    }

    private static void Fail(int round)
    {
        throw new InvalidOperationException("round " + round);
    }
}
