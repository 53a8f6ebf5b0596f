//! Reads a lesson from Markdown.

use super::claim::{Claim, TaskName, cpu};
use super::{
    Answer, Expected, Lesson, Move, Question, STEP_WORDS_MAX, STRIDES, Setting, Step, Stop, TABS,
    Tab,
};
use crate::build;
use crate::check;
use crate::document::{Document, Start};
use crate::duration::{self, clip};
use crate::problem::{Problem, did_you_mean};
use crate::read::{TEXT_MAX, read};
use schedscope_sim::kernel::{Feature, Preset};
use schedscope_sim::machines::Machine;
use schedscope_sim::order;

const FENCES: [&str; 5] = ["goto", "question", "expect", "notes", "toml"];
/// A part of the file: prose, or a fence.
enum Part<'i> {
    Prose(&'i str),
    Fence {
        /// The first word after the backquotes.
        word: &'i str,
        /// What stands in it.
        body: &'i str,
        /// The line of its first backquotes.
        line: u32,
    },
    /// A heading of a step.
    Heading(&'i str, u32),
}

impl Lesson {
    /// Reads a lesson from Markdown.
    ///
    /// # Errors
    /// All that is wrong with it, in the order of the lines.
    pub fn from_markdown(text: &str) -> Result<Lesson, Vec<Problem>> {
        if text.len() > TEXT_MAX {
            let sentence = format!("it has {} bytes; the most is {TEXT_MAX}.", text.len());
            return Err(vec![Problem::new("lesson", sentence)]);
        }
        let mut reader = Reader { problems: Vec::new() };
        let lesson = reader.lesson(text);
        order::sort_by_key(&mut reader.problems, |problem| problem.line);
        match lesson {
            Some(lesson) if reader.problems.is_empty() => Ok(lesson),
            _ => Err(reader.problems),
        }
    }
}

struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    fn problem(&mut self, line: u32, sentence: impl Into<String>) {
        self.problems.push(Problem::new("lesson", sentence).on_line(line));
    }

    fn lesson(&mut self, text: &str) -> Option<Lesson> {
        let (title, parts) = self.parts(text);
        let mut lesson = Lesson {
            title: title.to_string(),
            about: String::new(),
            document: Document::default(),
            steps: Vec::new(),
        };
        if title.is_empty() {
            self.problem(1, "it has no title; begin it with a line such as \"# Who runs next?\".");
        }
        let mut document = None;
        for part in parts {
            match (part, lesson.steps.last_mut()) {
                (Part::Prose(prose), None) => {
                    if !lesson.about.is_empty() && !prose.trim().is_empty() {
                        lesson.about.push_str("\n\n");
                    }
                    lesson.about.push_str(prose.trim());
                }
                (Part::Prose(prose), Some(step)) => {
                    if !step.text.is_empty() && !prose.trim().is_empty() {
                        step.text.push_str("\n\n");
                    }
                    step.text.push_str(prose.trim());
                }
                (Part::Heading(heading, line), _) => lesson.steps.push(Step {
                    heading: heading.to_string(),
                    text: String::new(),
                    notes: String::new(),
                    settings: Vec::new(),
                    goto: Vec::new(),
                    focus: None,
                    tab: None,
                    beside: None,
                    stretch: None,
                    question: None,
                    expect: Vec::new(),
                    line,
                }),
                (Part::Fence { word: "toml", body, line }, None) => {
                    if document.is_some() {
                        self.problem(line, "there is a scenario already; a lesson has one.");
                    } else {
                        document = Some(read(body, line + 1).map_err(|problems| {
                            self.problems.extend(problems);
                        }));
                    }
                }
                (Part::Fence { word: "toml", line, .. }, Some(_)) => {
                    self.problem(line, "the scenario stands before the first step.");
                }
                (Part::Fence { word, line, .. }, None) if FENCES.contains(&word) => {
                    let sentence =
                        format!("\"{word}\" belongs into a step, under a line \"## …\".");
                    self.problem(line, sentence);
                }
                (Part::Fence { word, body, line }, Some(step)) => {
                    self.fence(step, word, body, line);
                }
                (Part::Fence { .. }, None) => {}
            }
        }
        let document = match document {
            None => {
                let sentence = "it has no scenario; add one between ```toml and ```.";
                self.problem(1, sentence);
                return None;
            }
            // What is wrong with the scenario was said; names cannot be checked.
            Some(Err(())) => return None,
            Some(Ok(document)) => document,
        };
        for step in &lesson.steps {
            let words = step.text.split_whitespace().count();
            if words > STEP_WORDS_MAX {
                let sentence = format!(
                    "this step has {words} words; the most is {STEP_WORDS_MAX}, so that it can be \
                     read beside the picture."
                );
                self.problem(step.line, sentence);
            }
        }
        lesson.document = document;
        for at in 0..lesson.steps.len() {
            self.names(&lesson.steps[at], &lesson.document_at(at));
            self.kernel(&lesson, at);
        }
        if lesson.document.title.is_empty() {
            lesson.document.title.clone_from(&lesson.title);
        }
        Some(lesson)
    }

    /// The title, and the parts in order.
    fn parts<'i>(&mut self, text: &'i str) -> (&'i str, Vec<Part<'i>>) {
        let (mut title, mut parts) = ("", Vec::new());
        let (mut at, mut prose_from) = (0, 0);
        // Start of the body, first word, line, and the fence's backquotes.
        let mut fence: Option<(usize, &str, u32, &str)> = None;
        for (line, number) in text.split_inclusive('\n').zip(1..) {
            let (start, end) = (at, at + line.len());
            at = end;
            let bare = line.trim();
            let quotes = &bare[..bare.len() - bare.trim_start_matches('`').len()];
            if let Some((from, word, line, opening)) = fence {
                if bare == quotes && quotes.len() >= opening.len() {
                    parts.push(Part::Fence { word, body: &text[from..start], line });
                    (fence, prose_from) = (None, end);
                }
                continue;
            }
            let heading = bare.strip_prefix("## ");
            let is_title = bare.strip_prefix("# ").filter(|_| title.is_empty());
            if quotes.len() >= 3 || heading.is_some() || is_title.is_some() {
                parts.push(Part::Prose(&text[prose_from..start]));
                prose_from = end;
            }
            if quotes.len() >= 3 {
                let info = bare[quotes.len()..].trim();
                let word = info.split_whitespace().next().unwrap_or_default();
                fence = Some((end, word, number, quotes));
            } else if let Some(heading) = heading {
                parts.push(Part::Heading(heading.trim(), number));
            } else if let Some(text) = is_title {
                title = text.trim();
            }
        }
        match fence {
            Some((.., line, quotes)) => {
                self.problem(line, format!("this fence is not closed; add a line \"{quotes}\"."));
            }
            None => parts.push(Part::Prose(&text[prose_from..])),
        }
        (title, parts)
    }

    fn fence(&mut self, step: &mut Step, word: &str, body: &str, line: u32) {
        match word {
            "goto" => self.goto(step, body, line),
            "expect" => {
                for (text, number) in lines(body, line) {
                    match text.parse::<Claim>() {
                        Ok(claim) => step.expect.push(Expected { claim, line: number }),
                        Err(sentence) => self.problem(number, sentence),
                    }
                }
            }
            "question" => {
                if step.question.is_some() {
                    self.problem(line, "there is a question already; a step has one.");
                }
                step.question = self.question(body, line);
            }
            "notes" => step.notes = body.trim().to_string(),
            word => {
                // A fence of another language is prose; a misspelt one is not.
                let hint = did_you_mean(word, FENCES);
                if hint.starts_with("did you mean") {
                    let sentence = format!("there is no fence \"{}\"; {hint}", clip(word));
                    self.problem(line, sentence);
                } else {
                    step.text.push_str(&format!("\n\n```{word}\n{body}```"));
                }
            }
        }
    }

    fn goto(&mut self, step: &mut Step, body: &str, line: u32) {
        for (text, number) in lines(body, line) {
            let words: Vec<&str> = text.split_whitespace().collect();
            if let Some(setting) = setting(&words) {
                match setting {
                    Ok(_) if !step.goto.is_empty() => {
                        let sentence = "what changes the kernel or the machine starts the run again, \
                                        so it stands before the moves.";
                        self.problem(number, sentence);
                    }
                    Ok(setting) => step.settings.push(setting),
                    Err(sentence) => self.problem(number, sentence),
                }
                continue;
            }
            let read = match words[..] {
                ["start"] => Ok(Some(Move::Start)),
                ["end"] => Ok(Some(Move::End)),
                ["step", n] => match n.parse() {
                    Ok(n) => Ok(Some(Move::Step(n))),
                    Err(_) => Err(format!("\"{}\" is no number of a step.", clip(n))),
                },
                ["time", time] => duration::parse(time).map(|ns| Some(Move::Time(ns))),
                ["cpu", n] => cpu(n).map(|cpu| {
                    step.focus = Some(cpu);
                    None
                }),
                ["tab", name] => match Tab::from_name(name) {
                    Some(tab) => {
                        step.tab = Some(tab);
                        Ok(None)
                    }
                    None => {
                        let hint = did_you_mean(name, TABS.map(|(name, _)| name));
                        Err(format!("there is no tab \"{}\"; {hint}", clip(name)))
                    }
                },
                ["stretch", text] => stretch(text).map(|stretch| {
                    step.stretch = Some(stretch);
                    None
                }),
                ["beside", _, ..] => {
                    step.beside = Some(words[1..].join(" "));
                    Ok(None)
                }
                ["next", ref rest @ ..] => stop(rest).map(|stop| Some(Move::Next(stop))),
                ["previous", ref rest @ ..] => stop(rest).map(|stop| Some(Move::Previous(stop))),
                _ => Err(format!(
                    "\"{}\" leads nowhere; write \"start\", \"end\", \"step 12\", \"time 30ms\", \
                     \"next pick of B on cpu 0\", \"kernel 6.1\", \"cpu 0\" or \"tab pick\".",
                    clip(text)
                )),
            };
            match read {
                Ok(way) => step.goto.extend(way),
                Err(sentence) => self.problem(number, sentence),
            }
        }
    }

    fn question(&mut self, body: &str, line: u32) -> Option<Question> {
        let (mut prompt, mut because) = (String::new(), String::new());
        let (mut wrong, mut options, mut right) = (Vec::new(), Vec::new(), None);
        let mut answer = None;
        for (text, number) in lines(body, line) {
            if let Some(option) = text.strip_prefix("- ") {
                let chosen = option.strip_prefix("[x]");
                let option = chosen.or(option.strip_prefix("[ ]")).unwrap_or(option).trim();
                if chosen.is_some() && right.replace(options.len() as u32).is_some() {
                    self.problem(number, "there is a right answer already; mark one with [x].");
                }
                options.push(option.to_string());
            } else if let Some(text) = text.strip_prefix("answer:") {
                match read_answer(text.trim()) {
                    Ok(read) => answer = Some(read),
                    Err(sentence) => self.problem(number, sentence),
                }
            } else if let Some(text) = text.strip_prefix("because:") {
                because = text.trim().to_string();
            } else if let Some(rest) = text.strip_prefix("wrong ") {
                match rest.split_once(':') {
                    Some((of, text)) => {
                        wrong.push((of.trim().to_string(), text.trim().to_string()));
                    }
                    None => self.problem(number, "write it as \"wrong C: what to say of it\"."),
                }
            } else {
                if !prompt.is_empty() {
                    prompt.push(' ');
                }
                prompt.push_str(text);
            }
        }
        if prompt.is_empty() {
            self.problem(line, "this question asks nothing; begin it with what is asked.");
        }
        let answer = match (answer, options.len(), right) {
            (Some(_), 1.., _) => {
                self.problem(line, "it has options and an answer; keep one of the two.");
                None
            }
            (Some(answer), ..) => Some(answer),
            (None, 2.., Some(right)) => Some(Answer::Choice { options, right }),
            _ => {
                let sentence = "this question has no answer; add \"answer: task B\", \"answer: cpu \
                                3\", \"answer: number 20ms\", or options of which one begins \"- \
                                [x]\".";
                self.problem(line, sentence);
                None
            }
        };
        Some(Question { prompt, answer: answer?, because, wrong })
    }

    /// What the kernel of a step does not have, or what it cannot run.
    fn kernel(&mut self, lesson: &Lesson, at: usize) {
        let step = &lesson.steps[at];
        if step.settings.is_empty() {
            return;
        }
        let document = lesson.document_at(at);
        let built = match document.setup() {
            Ok(built) => built,
            Err(problems) => {
                for problem in problems {
                    self.problem(step.line, format!("in this step: {problem}"));
                }
                return;
            }
        };
        for setting in &step.settings {
            if let Setting::Feature(name, _) = setting
                && Feature::from_name(name).is_some_and(|f| !f.exists_in(&built.setup.kernel))
            {
                let kernel = &document.kernel.preset;
                self.problem(step.line, format!("the kernel {kernel} has no feature {name}."));
            }
        }
    }

    /// Tasks and CPUs that the scenario does not have.
    fn names(&mut self, step: &Step, document: &Document) {
        let cpus = document.topology().map_or(u16::MAX, |topology| topology.len() as u16);
        let task = |name: &TaskName| match document.row(&name.row) {
            None => {
                let known = document.rows.iter().map(|row| row.name.as_str());
                let hint = did_you_mean(&name.row, known);
                Err(format!("the scenario has no task \"{}\"; {hint}", clip(&name.row)))
            }
            // How many a fork makes is known only by the run.
            Some(row) if document.rows[row].start == Start::Fork => Ok(()),
            Some(row) if name.instance > document.rows[row].count => Err(format!(
                "the scenario has {} of the task \"{}\".",
                document.rows[row].count, name.row
            )),
            Some(_) => Ok(()),
        };
        let cpu = |cpu: u16| match cpu < cpus {
            true => Ok(()),
            false => Err(format!("the machine has no CPU {cpu}; it has CPUs 0-{}.", cpus - 1)),
        };
        for Expected { claim, line } in &step.expect {
            let claim = match claim {
                Claim::Beside(claim) => {
                    if step.beside.is_none() {
                        self.problem(
                            *line,
                            "nothing runs beside it; add \"beside 4.19\" to its goto.",
                        );
                    }
                    claim
                }
                claim => claim,
            };
            let found = match claim {
                Claim::Beside(_) => {
                    Err("one claim is about one run; take out a \"beside\".".into())
                }
                Claim::Time(_) | Claim::Reason(_) | Claim::Says(_) | Claim::Picks(None) => Ok(()),
                Claim::Runs(n, name) => cpu(*n).and_then(|()| name.iter().try_for_each(task)),
                Claim::Waits(n, names) => cpu(*n).and_then(|()| names.iter().try_for_each(task)),
                Claim::Figure(name, ..)
                | Claim::Eligible(name, _)
                | Claim::State(name, _)
                | Claim::Picks(Some(name)) => task(name),
                Claim::On(name, n) | Claim::Places(name, n, _) => task(name).and_then(|()| cpu(*n)),
                Claim::Cpu(_, n) | Claim::Clock(n, _) => cpu(*n),
                Claim::Scan(cpus) => cpus.iter().copied().try_for_each(cpu),
            };
            if let Err(sentence) = found {
                self.problem(*line, sentence);
            }
        }
        let stops = step.goto.iter().filter_map(|way| match way {
            Move::Next(stop) | Move::Previous(stop) => Some(stop),
            _ => None,
        });
        let mut found: Vec<String> = Vec::new();
        for stop in stops {
            found.extend(stop.of.as_ref().and_then(|name| task(name).err()));
            found.extend(stop.on.and_then(|n| cpu(n).err()));
        }
        found.extend(step.focus.and_then(|n| cpu(n).err()));
        if let Some(question) = &step.question {
            found.extend(match &question.answer {
                Answer::Task(name) => task(name).err(),
                Answer::Cpu(n) => cpu(*n).err(),
                Answer::Number(_) | Answer::Choice { .. } => None,
            });
        }
        for sentence in found {
            self.problem(step.line, sentence);
        }
    }
}

/// The lines that say something, with their numbers.
fn lines(body: &str, fence: u32) -> impl Iterator<Item = (&str, u32)> {
    let numbered = body.lines().map(str::trim).zip(fence + 1..);
    numbered.filter(|(line, _)| !line.is_empty() && !line.starts_with("//"))
}

/// `kernel 4.19`, `placement 4.19`, `feature START_DEBIT off`, `machine cpu1` or `governor hwp`;
/// `None` is none of them.
fn setting(words: &[&str]) -> Option<Result<Setting, String>> {
    let preset = |name: &str| match Preset::from_name(name) {
        Some(preset) => Ok(preset.name().to_string()),
        None => {
            let hint = did_you_mean(name, Preset::ALL.map(Preset::name));
            Err(format!("there is no kernel \"{}\"; {hint}", clip(name)))
        }
    };
    Some(match *words {
        ["kernel", "own"] => Ok(Setting::Own),
        ["kernel", name] => preset(name).map(Setting::Kernel),
        ["placement", name] => preset(name).map(Setting::Placement),
        ["feature", name, on @ ("on" | "off")] => match Feature::from_name(name) {
            Some(feature) => Ok(Setting::Feature(feature.name().to_string(), on == "on")),
            None => {
                let hint = did_you_mean(name, Feature::ALL.map(Feature::name));
                Err(format!("there is no feature \"{}\"; {hint}", clip(name)))
            }
        },
        ["machine", id] => match Machine::from_id(id) {
            Some(_) => Ok(Setting::Machine(id.to_string())),
            None => Err(check::unknown_machine(id)),
        },
        ["governor", name] => match build::governor(name) {
            Some(_) => Ok(Setting::Governor(name.to_string())),
            None => Err(check::unknown_governor(name)),
        },
        ["kernel" | "placement" | "feature" | "machine" | "governor", ..] => {
            let example = "write it as \"kernel 6.1\", \"kernel own\", \"placement 4.19\", \
                           \"feature START_DEBIT off\", \"machine cpu1\" or \"governor hwp\".";
            Err(example.to_string())
        }
        _ => return None,
    })
}

/// `10ms..20ms`, ns.
fn stretch(text: &str) -> Result<(u64, u64), String> {
    let wrong = || format!("\"{}\" is no stretch of time; write it as 10ms..20ms.", clip(text));
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let (from, to) = (duration::parse(from)?, duration::parse(to)?);
    if from < to { Ok((from, to)) } else { Err(wrong()) }
}

/// `pick of B on cpu 0`, of which only the first word must be there.
fn stop(words: &[&str]) -> Result<Stop, String> {
    let wrong = "write it as \"next pick\", \"next pick of B\" or \"next pick of B on cpu 0\".";
    let [kind, rest @ ..] = words else { return Err(wrong.to_string()) };
    let Some((_, stride)) = STRIDES.iter().find(|(known, _)| known == kind) else {
        let hint = did_you_mean(kind, STRIDES.map(|(name, _)| name));
        return Err(format!("there is nothing called \"{}\" to stop at; {hint}", clip(kind)));
    };
    let mut stop = Stop { stride: *stride, of: None, on: None };
    let rest = match rest {
        ["of", name, rest @ ..] => {
            stop.of = Some(name.parse()?);
            rest
        }
        rest => rest,
    };
    match rest {
        [] => Ok(stop),
        ["on", "cpu", n] => {
            stop.on = Some(cpu(n)?);
            Ok(stop)
        }
        _ => Err(wrong.to_string()),
    }
}

fn read_answer(text: &str) -> Result<Answer, String> {
    let wrong = || {
        format!("\"{}\" is no answer; write \"task B\", \"cpu 3\" or \"number 20ms\".", clip(text))
    };
    let (kind, value) = text.split_once(char::is_whitespace).ok_or_else(wrong)?;
    match (kind, value.trim()) {
        ("task", value) => value.parse().map(Answer::Task),
        ("cpu", value) => cpu(value).map(Answer::Cpu),
        ("number", value) => value.parse().map(Answer::Number),
        _ => Err(wrong()),
    }
}
