// tokenizers-peer TOKENIZER.json LINES ROUNDS: the crate's best time over the lines, one thread, ids only.
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let tokenizer = tokenizers::Tokenizer::from_file(&arguments[1]).unwrap();
    let text = std::fs::read_to_string(&arguments[2]).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    for _ in 0..arguments[3].parse::<usize>().unwrap() {
        let start = Instant::now();
        let ids: usize = lines.iter().map(|line| tokenizer.encode_fast(*line, false).unwrap().len()).sum();
        println!("{} {}", start.elapsed().as_secs_f64(), ids);
    }
}
