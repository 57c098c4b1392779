//! Durations, sizes and counts as people write them.

use std::time::Duration;

/// `60`, `60s`, `500ms`, `5m`, `1h`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        unit => return Err(format!("unknown unit `{unit}` (ms, s, m or h)")),
    };
    let number: f64 = digits.parse().map_err(|_| "expected a time such as 60s or 5m".to_owned())?;
    Duration::try_from_secs_f64(number * factor).map_err(|_| "the time is out of range".to_owned())
}

/// `4G`, `512M`, `100K`, or bytes; powers of 1024.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text[digits.len()..].to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        unit => return Err(format!("unknown unit `{unit}` (K, M, G or T)")),
    };
    let number: f64 = digits.parse().map_err(|_| "expected a size such as 4G or 512M".to_owned())?;
    let size = number * factor as f64;
    if factor == 1 && size < 1e6 {
        return Err(format!("{text} bytes are too few to work with; did you mean {text}G?"));
    }
    if (0.0..1e18).contains(&size) { Ok(size as u64) } else { Err("the size is out of range".to_owned()) }
}

/// `1 claim`, `2 claims`.
pub(super) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes() {
        assert_eq!(duration("60"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert!(duration("x").is_err() && duration("-1s").is_err() && duration("3d").is_err());
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("512MiB"), Ok(512 << 20));
        assert_eq!(bytes("5000000"), Ok(5_000_000));
        assert!(bytes("4").is_err_and(|message| message.contains("4G")));
        assert!(bytes("x").is_err() && bytes("-1").is_err() && bytes("1Q").is_err());
    }
}
