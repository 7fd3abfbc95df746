using System.Text;
using Report;

namespace Cases;

/// <summary>Strings: null, empty, beyond ASCII, not even Unicode, long.</summary>
public static class Texts
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Of(null);
        Of("");
        Of("plain ASCII");
        Of("quotes \" and \\ and / and \t\r\n\b\f\u001b\u007f");
        Of("Grüße, 世界, שלום, नमस्ते");
        Of("beyond the first plane: 𝄞 😀");
        Of("embedded\0null\0");
        Of("lone high \ud83d surrogate");
        Of("\udc00 lone low");
        Of("wrong order \udc00\ud83d");
        Of("\u2028 \u2029 \ufeff \ufffe \uffff");
        Of(new string('x', 100_000));
        Of(new StringBuilder().Insert(0, "ä€😀", 5_000).ToString());
        AsObject("a string in an object");
        AsObject(null);
        Lengths("", "ü", out string joined);
        Of(joined);
        call.Leave();
    }

    private static string Of(string text) => Self.Enter(null, text).Leave(text);

    private static object AsObject(object value) => Self.Enter(null, value).Leave(value);

    private static int Lengths(string first, string second, out string joined)
    {
        Call call = Self.Enter(null, first, second, Self.Out);
        joined = first + second;
        return call.Outs(joined).Leave(joined.Length);
    }
}
