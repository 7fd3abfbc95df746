// A web server without a web framework, under load by its own clients, which check every response. With an argument, the number of
// requests of each client, it serves these and ends; without one it reads that number from each line of standard input.

using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Listening;

public static class Program
{
    private const int Clients = 4;

    /// Every so many requests the server throws, and catches.
    private const int Failing = 10;

    private static readonly object Gate = new object();
    private static long total;
    private static int thrown;
    private static int wrong;

    public static async Task<int> Main(string[] arguments)
    {
        using HttpListener listener = Start(out string address);
        Task serving = Task.Run(() => Serve(listener));
        using HttpClient http = new HttpClient { BaseAddress = new Uri(address) };
        if (arguments.Length > 0)
        {
            Console.WriteLine(await Load(http, int.Parse(arguments[0])));
        }
        else
        {
            Say("ready " + Process.GetCurrentProcess().Id);
            for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
            {
                Say(await Load(http, int.Parse(line)));
                GC.Collect();
            }
        }
        listener.Stop();
        await serving;
        return 0;
    }

    private static void Say(string line)
    {
        Console.Out.WriteLine(line);
        Console.Out.Flush();
    }

    /// A port that is free now may be another's a moment later.
    private static HttpListener Start(out string address)
    {
        for (int attempt = 0; ; attempt++)
        {
            TcpListener probe = new TcpListener(IPAddress.Loopback, 0);
            probe.Start();
            address = "http://127.0.0.1:" + ((IPEndPoint)probe.LocalEndpoint).Port + "/";
            probe.Stop();
            HttpListener listener = new HttpListener();
            listener.Prefixes.Add(address);
            try
            {
                listener.Start();
                return listener;
            }
            catch (HttpListenerException) when (attempt < 20)
            {
                listener.Close();
            }
        }
    }

    private static async Task Serve(HttpListener listener)
    {
        while (listener.IsListening)
        {
            HttpListenerContext context;
            try
            {
                context = await listener.GetContextAsync();
            }
            catch (Exception) when (!listener.IsListening)
            {
                return;
            }
            _ = Task.Run(() => Answer(context));
        }
    }

    private static async Task Answer(HttpListenerContext context)
    {
        int number = int.Parse(context.Request.Url.Query.Substring(1));
        string text;
        try
        {
            text = Add(number).ToString();
        }
        catch (InvalidOperationException)
        {
            Interlocked.Increment(ref thrown);
            text = "failed";
        }
        await Task.Yield();
        using StreamWriter writer = new StreamWriter(context.Response.OutputStream);
        await writer.WriteAsync(text);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Add(int number)
    {
        if (number % Failing == 0)
        {
            throw new InvalidOperationException("number " + number);
        }
        lock (Gate)
        {
            total += number;
        }
        return number * 2;
    }

    private static async Task<string> Load(HttpClient http, int requests)
    {
        total = thrown = wrong = 0;
        await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => Task.Run(() => Ask(http, requests))));
        return "requests " + Clients * requests + ", total " + total + ", thrown " + thrown + ", wrong " + wrong;
    }

    private static async Task Ask(HttpClient http, int requests)
    {
        for (int number = 1; number <= requests; number++)
        {
            string text = await http.GetStringAsync("?" + number);
            if (text != (number % Failing == 0 ? "failed" : (number * 2).ToString()))
            {
                Interlocked.Increment(ref wrong);
            }
        }
    }
}
