//! Numbers in a row of bytes: little-endian, at any place. All reads are bounds-checked.

/// The widest field that [`bits`] reads: eight bytes less the seven bits a field may start in the middle of a byte.
pub(crate) const MAX_BITS: u32 = 57;

#[inline]
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[at..at + N]);
    array
}

#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

#[inline]
pub(crate) fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(array(bytes, at))
}

/// The field of `width` bits (at most [`MAX_BITS`]) that starts `bit` bits after byte `at`; seven bytes after it are
/// read.
#[inline]
pub(crate) fn bits(bytes: &[u8], at: usize, bit: usize, width: u32) -> u64 {
    (u64_at(bytes, at + bit / 8) >> (bit % 8)) & ((1 << width) - 1)
}

/// Sets a field as [`bits`] reads it.
pub(crate) fn set_bits(bytes: &mut [u8], at: usize, bit: usize, width: u32, value: u64) {
    let place = at + bit / 8;
    let mask = ((1 << width) - 1) << (bit % 8);
    let word = u64_at(bytes, place) & !mask | value << (bit % 8);
    bytes[place..place + 8].copy_from_slice(&word.to_le_bytes());
}

/// The bits that hold the numbers below `end`.
pub(crate) fn bits_for(end: usize) -> u32 {
    usize::BITS - end.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_fields_of_every_width() {
        for width in 1..=MAX_BITS {
            let value = |index: u64| index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - width);
            let place = |index: u64| index as usize * width as usize;
            let mut packed = vec![0xAA; 3 + 100 * width as usize / 8 + 8];
            (0..100).for_each(|i| set_bits(&mut packed, 3, place(i), width, value(i)));
            (0..100).for_each(|i| assert_eq!(bits(&packed, 3, place(i), width), value(i), "width {width}, field {i}"));
        }
    }

    #[test]
    fn widths_of_numbers() {
        let widths = [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (1 << 20, 20), ((1 << 20) + 1, 21)];
        widths.iter().for_each(|&(end, width)| assert_eq!(bits_for(end), width, "below {end}"));
    }
}
