//! The name that resembles a pattern most.

/// A name, and how much it differs from a pattern.
#[derive(Debug)]
pub(crate) struct Nearest {
    pub(crate) name: String,
    distance: usize,
}

/// Replaces the nearest name if a method is nearer.
pub(crate) fn update(nearest: &mut Option<Nearest>, pattern: &str, module: &str, method: &str) {
    let Some(distance) = distance(pattern, module, method) else { return };
    if nearest.as_ref().is_none_or(|nearest| distance < nearest.distance) {
        let name = if pattern.contains('!') { format!("{module}!{method}") } else { method.to_owned() };
        *nearest = Some(Nearest { name, distance });
    }
}

/// How much a method differs from a pattern; `None` if it does not resemble it.
fn distance(pattern: &str, module: &str, method: &str) -> Option<usize> {
    let literal = pattern.chars().filter(|&char| char != '*').count();
    // One letter of three may be another one.
    let limit = literal / 3;
    let Some((file, wanted)) = pattern.split_once('!') else {
        let is_part = !pattern.contains('*') && contains(method, pattern);
        return if is_part { Some(1) } else { edits(pattern, method, limit) };
    };
    let stem = module.rsplit_once('.').map_or(module, |(stem, _)| stem);
    let file = match file.eq_ignore_ascii_case(stem) {
        true => 1,
        false => edits(file, module, limit)?,
    };
    let is_part = !wanted.contains('*') && contains(method, wanted);
    let wanted = if is_part { 1 } else { edits(wanted, method, limit)? };
    Some(file + wanted).filter(|sum| *sum <= limit.max(2))
}

fn contains(text: &str, part: &str) -> bool {
    !part.is_empty() && text.to_ascii_lowercase().contains(&part.to_ascii_lowercase())
}

/// The number of characters to insert, to leave out or to replace, or neighbours to exchange, until a text matches a pattern;
/// `*` stands for any text, and the case of letters does not count. `None` above the limit.
fn edits(pattern: &str, text: &str, limit: usize) -> Option<usize> {
    /// Longer names are not compared.
    const LONGEST: usize = 256;
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
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|distance| *distance <= limit)
}
