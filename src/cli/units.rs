//! Durations, sizes and counts as people write them.

use std::time::Duration;

/// `60`, `60s`, `3 s`, `500ms`, `5m`, `1h`, `1m30s`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let (mut seconds, mut rest) = (0.0, text.trim());
    loop {
        let digits = rest.find(|c: char| c.is_ascii_alphabetic() || c.is_whitespace()).unwrap_or(rest.len());
        let (number, behind) = (&rest[..digits], rest[digits..].trim_start());
        let letters = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let factor = match &behind[..letters] {
            "ms" => 0.001,
            "s" => 1.0,
            // Of several numbers each says of what.
            "" if number == text.trim() => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "" => return Err("expected a unit (ms, s, m or h) behind each number".to_owned()),
            unit => return Err(format!("unknown unit `{unit}` (ms, s, m or h)")),
        };
        let number: f64 = number.parse().map_err(|_| "expected a time such as 60s, 5m or 1m30s".to_owned())?;
        if number < 0.0 {
            return Err("the time is out of range".to_owned());
        }
        seconds += number * factor;
        rest = behind[letters..].trim_start();
        if rest.is_empty() {
            return Duration::try_from_secs_f64(seconds).map_err(|_| "the time is out of range".to_owned());
        }
    }
}

/// `4G`, `512M`, `1 GiB`, `100K`, or bytes; powers of 1024.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text[digits.len()..].to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        unit => return Err(format!("unknown unit `{unit}` (K, M, G or T)")),
    };
    let number: f64 = digits.trim_end().parse().map_err(|_| "expected a size such as 4G or 512M".to_owned())?;
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
        assert_eq!(duration("3 s"), Ok(Duration::from_secs(3)));
        assert_eq!(duration(" 1m30s "), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1h 2min 500ms"), Ok(Duration::from_millis(3_720_500)));
        assert_eq!(bytes("1 GiB"), Ok(1 << 30));
        for wrong in ["", "1m30", "5 3s", "m", "1m-3s", "1s,2s", "1e400s", "naN", "1 2"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(duration("x").is_err() && duration("-1s").is_err() && duration("3d").is_err());
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("512MiB"), Ok(512 << 20));
        assert_eq!(bytes("5000000"), Ok(5_000_000));
        assert!(bytes("4").is_err_and(|message| message.contains("4G")));
        assert!(bytes("x").is_err() && bytes("-1").is_err() && bytes("1Q").is_err());
    }
}
