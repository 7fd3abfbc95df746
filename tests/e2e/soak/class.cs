public class ClassNUMBER
{
    private readonly Dictionary<string, List<int>> _index = new Dictionary<string, List<int>>();

    public ClassNUMBER(string name, BASE other)
    {
        Name = name;
        Other = other;
    }

    public string Name { get; }

    public BASE Other { get; }

    public int Count => _index.Count;

    public void Add(string key, params int[] values)
    {
        if (!_index.TryGetValue(key, out List<int> list))
            _index[key] = list = new List<int>();
        foreach (int value in values)
            list.Add(checked(value * 3 + NUMBER));
    }

    public IEnumerable<KeyValuePair<string, double>> Means(Func<int, double> of)
    {
        foreach (KeyValuePair<string, List<int>> pair in _index)
            yield return new KeyValuePair<string, double>(pair.Key, of(pair.Value.Count));
    }
}
