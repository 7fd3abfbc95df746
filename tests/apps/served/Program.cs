using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

/// A web server under load by its own clients, which check every response. Argument: the number of requests of each client.
internal static class Program
{
    private const int Clients = 8;

    /// How often a request fails in the server.
    private const int Failing = 50;

    private static readonly object Lock = new object();
    private static readonly Dictionary<string, long> Totals = new Dictionary<string, long>();
    private static int wrong;
    private static int failed;

    private sealed record Order(string Name, int Count, double[] Prices);

    private static async Task<int> Main(string[] arguments)
    {
        int requests = int.Parse(arguments[0]);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        await using WebApplication server = builder.Build();
        server.UseExceptionHandler(handler => handler.Run(context => context.Response.WriteAsync("failed")));
        server.MapPost("/orders/{client}", async (string client, Order[] orders) =>
        {
            await Task.Yield();
            return new { client, total = Total(client, orders) };
        });
        server.MapGet("/text", () => new string('x', 100_000));
        await server.StartAsync();
        using HttpClient http = new HttpClient { BaseAddress = new Uri(server.Urls.First()) };
        await Task.WhenAll(Enumerable.Range(0, Clients).Select(client => Task.Run(() => Load(http, client, requests))));
        await server.StopAsync();
        foreach (KeyValuePair<string, long> total in Totals.OrderBy(total => total.Key))
        {
            Console.WriteLine("client " + total.Key + ": " + total.Value);
        }
        Console.WriteLine("failed " + failed + ", wrong " + wrong);
        return 0;
    }

    private static long Total(string client, Order[] orders)
    {
        if (orders.Length == 0)
        {
            throw new InvalidOperationException("no orders");
        }
        long total = orders.Sum(order => order.Count * (long)order.Prices.Sum());
        lock (Lock)
        {
            Totals.TryGetValue(client, out long before);
            Totals[client] = before + total;
        }
        return total;
    }

    private static async Task Load(HttpClient http, int client, int requests)
    {
        for (int number = 0; number < requests; number++)
        {
            int count = number % Failing == 0 ? 0 : number % 20 + 1;
            string body = "[" + string.Join(",", Enumerable.Range(0, count)
                .Select(order => "{\"name\":\"order " + order + "\",\"count\":" + order + ",\"prices\":[1,2," + number % 7 + "]}")) + "]";
            using StringContent content = new StringContent(body, Encoding.UTF8, "application/json");
            using HttpResponseMessage response = await http.PostAsync("/orders/" + client, content);
            string text = await response.Content.ReadAsStringAsync();
            if (count == 0)
            {
                Interlocked.Increment(ref failed);
                Check((int)response.StatusCode == 500 && text == "failed");
            }
            else
            {
                long total = Enumerable.Range(0, count).Sum(order => order * (3L + number % 7));
                Check(text == "{\"client\":\"" + client + "\",\"total\":" + total + "}");
            }
            if (number % 10 == 0)
            {
                Check((await http.GetStringAsync("/text")).Length == 100_000);
            }
        }
    }

    private static void Check(bool isRight)
    {
        if (!isRight)
        {
            Interlocked.Increment(ref wrong);
        }
    }
}
