//! Families whose sets of states are large as decision diagrams in every order of the variables, because
//! what is computed is: a product, and the hidden weighted bit.
//!
//! A diagram is forced to be large only where the function's value is in a variable of its own while all that
//! it was computed from is still needed, and the ways there (carries, counts) are forgotten. Calls between
//! the steps see to that: without them all of it would be one transition, asked about at once.

use crate::families::Verdict;

/// The texts that `part` makes of some numbers, separated.
fn list(numbers: impl Iterator<Item = u32>, separator: &str, part: impl Fn(u32) -> String) -> String {
    numbers.map(part).collect::<Vec<_>>().join(separator)
}

/// The variables `name0`, `name1`, … are the binary digits of a number, the lowest first.
fn equals(name: char, bits: u32, number: u64) -> String {
    list(0..bits, " & ", |i| format!("{}{name}{i}", if number >> i & 1 == 1 { "" } else { "!" }))
}

/// Is a number the product of two arbitrary ones of n bits, added up row by row?
pub(crate) fn multiplier(out: &mut String, n: u32, verdict: Verdict) {
    let number = perhaps_a_product(n, verdict);
    let factors = list(0..n, ", ", |i| format!("a{i}, b{i}"));
    let zeros = list(0..2 * n, ", ", |i| format!("p{i} := 0"));
    out.push_str(&format!("// Is {number} a product?\nvoid main() begin\n  decl {factors};\n  decl {zeros};\n"));
    out.push_str("  decl c := 0;\n");
    for row in 0..n {
        for column in 0..n {
            let place = row + column;
            out.push_str(&format!("  p{place}, c := full(p{place}, a{column} & b{row}, c);\n"));
        }
        out.push_str(&format!("  p{}, c := c, 0;\n", row + n));
    }
    out.push_str(&format!(
        "  assert(!({}));
end

// Sum and carry.
bool<2> full(x, y, c) begin
  return x ^ y ^ c, (x & y) | (c & (x ^ y));
end
",
        equals('p', 2 * n, number)
    ));
}

/// In the unsafe version the product of two primes of n bits; not of the largest ones, because a product near
/// 4^n says what the high bits of its factors are. In the safe one the largest prime below that, which has more than
/// n bits, so that it is not 1 times itself either.
fn perhaps_a_product(n: u32, verdict: Verdict) -> u64 {
    let product = prime_below((7 << n) / 8) * prime_below((5 << n) / 8);
    match verdict {
        Verdict::Safe => prime_below(product),
        Verdict::Unsafe => product,
    }
}

/// The largest prime below a number greater than 2.
fn prime_below(number: u64) -> u64 {
    let is_prime = |n: u64| (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    (2..number).rev().find(|n| is_prime(*n)).unwrap_or(2)
}

/// The bit of x that the weight of x points at, found by counting ones, and once more by counting zeros. The
/// unsafe version forgets that zeros were counted.
pub(crate) fn hidden(out: &mut String, n: u32, verdict: Verdict) {
    let width = u32::BITS - n.leading_zeros();
    let k = list(0..width, ", ", |i| format!("k{i}"));
    let count = |sign: &str| list(1..=n, "\n", |i| format!("  {k} := add({k}, {sign}x{i});"));
    let select = |weight: &dyn Fn(u32) -> u32| {
        list(1..=n, "\n      | ", |i| format!("({} & x{i})", equals('k', width, u64::from(weight(i)))))
    };
    let by_zeros = match verdict {
        Verdict::Safe => select(&|i| n - i),
        Verdict::Unsafe => select(&|i| i),
    };
    let sum = list(0..width, ", ", |i| format!("k{i} ^ (x{})", list(0..i, "", |j| format!(" & k{j}"))));
    out.push_str(&format!(
        "void main() begin
  decl {};
  decl {};
  decl r, s;
{}
  r := {};
  {k} := {};
{}
  s := {by_zeros};
  assert(r = s);
end

// The number k, and one more if x.
bool<{width}> add({k}, x) begin
  return {sum};
end
",
        list(1..=n, ", ", |i| format!("x{i}")),
        list(0..width, ", ", |i| format!("k{i} := 0")),
        count(""),
        select(&|i| i),
        list(0..width, ", ", |_| "0".to_owned()),
        count("!"),
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdicts rest on this: the factors have n bits, a prime has more.
    #[test]
    fn numbers_of_the_multiplier() {
        assert_eq!((perhaps_a_product(4, Verdict::Unsafe), perhaps_a_product(4, Verdict::Safe)), (13 * 7, 89));
        for n in 3..=24 {
            let (product, prime) = (perhaps_a_product(n, Verdict::Unsafe), perhaps_a_product(n, Verdict::Safe));
            let factor = (2..).find(|d| product.is_multiple_of(*d)).expect("the number itself at the latest");
            assert!(factor < 1 << n && product / factor < 1 << n, "{n}: {product}");
            assert!(prime >= 1 << n && prime < product, "{n}: {prime}");
        }
    }
}
