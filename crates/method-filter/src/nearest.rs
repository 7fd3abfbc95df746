//! The name that resembles a pattern most.

/// A name, and how much it differs from a pattern.
#[derive(Debug)]
pub(crate) struct Nearest {
    pub(crate) name: String,
    distance: usize,
}

/// The number of characters that may be wrong in the name of a module which is meant nevertheless.
const WRONG_IN_MODULE: usize = 2;

/// Returns whether a module may be meant by a pattern that does not match its name: the extension is missing or another one, or few
/// characters are wrong.
pub(crate) fn resembles_module(pattern: &str, module: &str) -> bool {
    let Some((file, _)) = pattern.split_once('!') else { return true };
    let stem = stem(module);
    file.eq_ignore_ascii_case(stem)
        || self::stem(file).eq_ignore_ascii_case(stem)
        || edits(file, module, WRONG_IN_MODULE.min(file.len() / 3)).is_some()
}

/// A name of a file without its extension.
fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// Replaces the nearest name if a method is nearer.
pub(crate) fn update(nearest: &mut Option<Nearest>, pattern: &str, module: &str, method: &str) {
    let best = nearest.as_ref().map_or(usize::MAX, |nearest| nearest.distance);
    // No method is nearer than one that is a part of the pattern.
    let Some(most) = best.checked_sub(1).filter(|most| *most > 0) else { return };
    let Some(distance) = distance(pattern, module, method, most) else { return };
    let name = if pattern.contains('!') { format!("{module}!{method}") } else { method.to_owned() };
    *nearest = Some(Nearest { name, distance });
}

/// How much a method differs from a pattern, if no more than `most`; `None` if it does not resemble it.
fn distance(pattern: &str, module: &str, method: &str, most: usize) -> Option<usize> {
    let literal = pattern.chars().filter(|&char| char != '*').count();
    // One letter of three may be another one.
    let limit = literal / 3;
    let Some((file, wanted)) = pattern.split_once('!') else {
        let is_part = !pattern.contains('*') && contains(method, pattern);
        return if is_part { Some(1) } else { edits(pattern, method, limit.min(most)) };
    };
    let file = match file.eq_ignore_ascii_case(stem(module)) {
        true => 1,
        false => edits(file, module, limit.min(most))?,
    };
    let is_part = !wanted.contains('*') && contains(method, wanted);
    let wanted = if is_part { 1 } else { edits(wanted, method, limit.min(most.checked_sub(file)?))? };
    Some(file + wanted).filter(|sum| *sum <= limit.max(2).min(most))
}

fn contains(text: &str, part: &str) -> bool {
    !part.is_empty() && text.to_ascii_lowercase().contains(&part.to_ascii_lowercase())
}

/// The number of characters to insert, to leave out or to replace, or neighbours to exchange, until a text matches a pattern;
/// `*` stands for any text, and the case of letters does not count. `None` above the limit.
fn edits(pattern: &str, text: &str, limit: usize) -> Option<usize> {
    /// Longer names are not compared.
    const LONGEST: usize = 256;
    if lacking(pattern, text) > limit {
        return None;
    }
    let pattern: Vec<char> = pattern.chars().map(|char| char.to_ascii_lowercase()).collect();
    let text: Vec<char> = text.chars().map(|char| char.to_ascii_lowercase()).collect();
    let is_fixed = !pattern.contains(&'*');
    if pattern.len() > LONGEST
        || text.len() > LONGEST
        || (is_fixed && pattern.len().abs_diff(text.len()) > limit)
    {
        return None;
    }
    // The rows of the distances for the patterns that end two characters and one character before.
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=text.len()).collect();
    for (at, &wanted) in pattern.iter().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(row[0] + usize::from(wanted != '*'));
        for (index, &has) in text.iter().enumerate() {
            let (above, left) = (row[index + 1], next[index]);
            next.push(if wanted == '*' {
                above.min(left)
            } else {
                let is_same = wanted == has || wanted == '?';
                let is_exchanged = at > 0 && index > 0 && pattern[at - 1] == has && wanted == text[index - 1];
                let exchanged = if is_exchanged { before[index - 1] + 1 } else { usize::MAX };
                (row[index] + usize::from(!is_same)).min(above + 1).min(left + 1).min(exchanged)
            });
        }
        // Each later row has a value from this one or the one before, or a greater one.
        if next.iter().chain(&row).min().is_none_or(|least| *least > limit) {
            return None;
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|distance| *distance <= limit)
}

/// The number of bytes that a text lacks, or has too many of, whatever their order: a text needs as many edits at least. Far cheaper to
/// find than these.
fn lacking(pattern: &str, text: &str) -> usize {
    // A character beyond ASCII is several bytes, of which each edit changes up to four; names have few.
    if !pattern.is_ascii() || !text.is_ascii() {
        return 0;
    }
    let mut counts = [0_i32; 32];
    let (mut any, mut is_fixed) = (0, true);
    for byte in pattern.bytes() {
        match byte {
            b'*' => is_fixed = false,
            b'?' => any += 1,
            _ => counts[usize::from(byte & 31)] += 1,
        }
    }
    for byte in text.bytes() {
        counts[usize::from(byte & 31)] -= 1;
    }
    let lacking: i32 = counts.iter().filter(|count| **count > 0).sum();
    let surplus: i32 =
        if is_fixed { -counts.iter().filter(|count| **count < 0).sum::<i32>() - any } else { 0 };
    usize::try_from(lacking.max(surplus)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheap_comparisons_reject_nothing_that_the_exact_one_accepts() {
        let names = [
            "Shop.Cart.Add",
            "Shop.Crat.Add",
            "shop.cart",
            "Add",
            "",
            "Sh?p.C*t.Ad",
            "x.y.z",
            "*",
            "ad?",
            "Caf\u{e9}.Open",
        ];
        for (pattern, text) in names.iter().flat_map(|a| names.iter().map(move |b| (*a, *b))) {
            let exact = edits(pattern, text, usize::MAX);
            assert!(exact.is_some_and(|exact| lacking(pattern, text) <= exact), "{pattern} {text}");
            for limit in 0..8 {
                assert_eq!(
                    edits(pattern, text, limit),
                    exact.filter(|exact| *exact <= limit),
                    "{pattern} {text} {limit}"
                );
            }
        }
    }
}
