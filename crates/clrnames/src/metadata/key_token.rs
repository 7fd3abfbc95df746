//! Public key tokens: the last eight bytes of a key's SHA-1 hash, backwards (ECMA-335 II.6.3).

/// A public key token.
pub type KeyToken = [u8; 8];

/// Returns the token of a public key, or a token itself; `None` for no bytes: an assembly without strong name.
#[must_use]
pub fn key_token(key_or_token: &[u8]) -> Option<KeyToken> {
    if key_or_token.is_empty() {
        return None;
    }
    if let Ok(token) = KeyToken::try_from(key_or_token) {
        return Some(token);
    }
    let [.., high, low] = sha1(key_or_token);
    let mut token = [0; 8];
    token[..4].copy_from_slice(&low.to_le_bytes());
    token[4..].copy_from_slice(&high.to_le_bytes());
    Some(token)
}

/// Returns the words of a SHA-1 hash (FIPS 180-4), which identifies keys here and secures nothing.
fn sha1(message: &[u8]) -> [u32; 5] {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - message.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let length = padded.len();
    padded[length - 8..].copy_from_slice(&(message.len() as u64 * 8).to_be_bytes());
    let mut hash = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0_u32];
    for block in padded.chunks_exact(64) {
        let mut words = [0u32; 80];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        for index in 16..80 {
            let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16];
            words[index] = mixed.rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = hash;
        for (index, word) in words.iter().enumerate() {
            let (mixed, constant) = match index {
                0..20 => ((b & c) | (!b & d), 0x5A82_7999),
                20..40 => (b ^ c ^ d, 0x6ED9_EBA1),
                40..60 => ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC),
                _ => (b ^ c ^ d, 0xCA62_C1D6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(constant);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next.wrapping_add(*word));
        }
        for (word, add) in hash.iter_mut().zip([a, b, c, d, e]) {
            *word = word.wrapping_add(add);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_fips_180() {
        assert_eq!(sha1(b"abc"), [0xA999_3E36, 0x4706_816A, 0xBA3E_2571, 0x7850_C26C, 0x9CD0_D89D]);
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(sha1(long), [0x8498_3E44, 0x1C3B_D26E, 0xBAAE_4AA1, 0xF951_29E5, 0xE546_70F1]);
    }

    #[test]
    fn the_ecma_key_has_its_well_known_token() {
        let key = [0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0];
        let token = [0xB7, 0x7A, 0x5C, 0x56, 0x19, 0x34, 0xE0, 0x89];
        assert_eq!(key_token(&key), Some(token));
        assert_eq!(key_token(&token), Some(token));
        assert_eq!(key_token(&[]), None);
    }
}
