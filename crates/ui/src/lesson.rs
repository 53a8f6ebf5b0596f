//! The steps of a lesson as the page shows them: prose, where to go, what to predict. The format is
//! described in docs/scenario-format.md; the engine's own reader checks the files, this one only
//! shows those that have passed.

use crate::state::Tab;
use crate::url::time_ns;
use schedscope_session::update::DecisionKind;
use schedscope_session::{Goto, Stride};

/// A step of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonStep {
    /// Its heading.
    pub title: String,
    /// Its prose, Markdown.
    pub prose: String,
    /// Where it is.
    pub moves: Vec<Go>,
    /// What to predict before it is told.
    pub question: Option<Question>,
}

/// One line of a `goto` fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Go {
    /// To a moment.
    To(Goto),
    /// To the next (or last) step of a kind, of this task if one is named.
    Seek {
        /// Later.
        forward: bool,
        /// What kind; the step is filled in when it is known.
        stride: Stride,
        /// About this row's task.
        of: Option<String>,
    },
    /// Looks at a CPU.
    Cpu(u16),
    /// Looks at a tab.
    Tab(Tab),
}

/// Predict, then reveal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub text: String,
    /// The answer, without its kind ("B", "3", "20ms").
    pub answer: String,
    /// What kind of answer: task, cpu, number, or option.
    pub kind: String,
    /// The options to choose from, if there are any.
    pub options: Vec<String>,
    /// Why.
    pub because: String,
    /// Wrong answers with what is wrong about them.
    pub wrong: Vec<(String, String)>,
}

impl Question {
    /// Whether an answer is right, as people write it.
    #[must_use]
    pub fn right(&self, given: &str) -> bool {
        plain(given) == plain(&self.answer)
    }

    /// What to say to an answer.
    #[must_use]
    pub fn reply(&self, given: &str) -> String {
        if self.right(given) {
            return format!("Yes. {}", self.because);
        }
        let known = self.wrong.iter().find(|(wrong, _)| plain(wrong) == plain(given));
        let why = known.map_or(String::new(), |(_, why)| format!(" {why}"));
        format!("No, it is {}.{why} {}", self.answer, self.because)
    }
}

/// An answer without what does not matter: case, spaces, "CPU", a minus sign of either kind.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase().replace('−', "-").replace([' ', '\u{a0}', '\u{202f}'], "");
    lower.trim_start_matches("cpu").trim_start_matches("task").trim_start_matches('+').to_string()
}

/// The steps of a lesson; none if the text is a scenario with prose.
#[must_use]
pub fn steps(text: &str) -> Vec<LessonStep> {
    let sections = text.split("\n## ").skip(1);
    sections.map(step).filter(|s| !s.prose.is_empty() || !s.moves.is_empty()).collect()
}

fn step(section: &str) -> LessonStep {
    let (title, body) = section.split_once('\n').unwrap_or((section, ""));
    let mut step = LessonStep { title: title.trim().into(), ..LessonStep::default() };
    let mut fence: Option<String> = None;
    let mut inside: Vec<&str> = Vec::new();
    for line in body.lines() {
        match (&fence, line.trim_start().strip_prefix("```")) {
            (None, Some(kind)) => {
                fence = Some(kind.trim().to_string());
                inside.clear();
            }
            (Some(kind), Some(_)) => {
                match kind.as_str() {
                    "goto" => step.moves = inside.iter().filter_map(|l| go(l)).collect(),
                    "question" => step.question = Some(question(&inside)),
                    _ => {}
                }
                fence = None;
            }
            (Some(_), None) => inside.push(line),
            (None, None) => {
                step.prose.push_str(line);
                step.prose.push('\n');
            }
        }
    }
    step.prose = step.prose.trim().to_string();
    step
}

fn go(line: &str) -> Option<Go> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |word: &str| {
        let at = words.iter().position(|w| *w == word)?;
        words.get(at + 1).copied()
    };
    Some(match *words.first()? {
        "start" => Go::To(Goto::Step(0)),
        "end" => Go::To(Goto::End),
        "step" => Go::To(Goto::Step(words.get(1)?.parse().ok()?)),
        "time" => Go::To(Goto::Time(time_ns(words.get(1)?)?)),
        "cpu" => Go::Cpu(words.get(1)?.parse().ok()?),
        "tab" => Go::Tab(Tab::from_id(words.get(1)?)?),
        way @ ("next" | "previous") => {
            let kind = |kind| Stride::Kind(kind);
            let cpu = after("cpu").and_then(|n| n.parse().ok());
            let stride = match *words.get(1)? {
                "event" => Stride::Event,
                "tick" => Stride::Tick,
                "switch" => Stride::Switch(cpu?),
                "pick" if cpu.is_some() && after("of").is_none() => Stride::Switch(cpu?),
                "pick" => kind(DecisionKind::Pick),
                "placement" => kind(DecisionKind::Placement),
                "fork" => kind(DecisionKind::ForkPlacement),
                "preemption" => kind(DecisionKind::Preemption),
                "balance" => kind(DecisionKind::Balance),
                _ => Stride::Decision,
            };
            Go::Seek { forward: way == "next", stride, of: after("of").map(str::to_string) }
        }
        _ => return None,
    })
}

fn question(lines: &[&str]) -> Question {
    let mut out = Question::default();
    for line in lines {
        if let Some(answer) = line.strip_prefix("answer:") {
            let answer = answer.trim();
            let (kind, answer) = answer.split_once(' ').unwrap_or(("", answer));
            (out.kind, out.answer) = (kind.into(), answer.into());
        } else if let Some(because) = line.strip_prefix("because:") {
            out.because = because.trim().into();
        } else if let Some((wrong, why)) =
            line.strip_prefix("wrong ").and_then(|rest| rest.split_once(':'))
        {
            out.wrong.push((wrong.trim().into(), why.trim().into()));
        } else if let Some(option) = line.trim_start().strip_prefix("- [") {
            let (mark, option) = option.split_once(']').unwrap_or(("", option));
            if mark == "x" {
                (out.kind, out.answer) = ("option".into(), option.trim().into());
            }
            out.options.push(option.trim().into());
        } else if !line.trim().is_empty() {
            if !out.text.is_empty() {
                out.text.push(' ');
            }
            out.text.push_str(line.trim());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LESSON: &str = "# Title\n\nIntro.\n\n```toml scenario\nschedscope = 1\n```\n\n\
## First\n\nSome *prose*.\n\n```goto\ntime 20ms\ncpu 3\ntab placement\n```\n\n\
```expect\ncpu 0 idle\n```\n\n## Second\n\nMore.\n\n```goto\nnext placement of server\n```\n\n\
```question\nWhich CPU?\nanswer: cpu 3\nbecause: It is alone.\nwrong 20: Too far.\n```\n";

    #[test]
    fn steps_have_prose_places_and_questions() {
        let steps = steps(LESSON);
        assert_eq!(steps.len(), 2);
        assert_eq!((steps[0].title.as_str(), steps[0].prose.as_str()), ("First", "Some *prose*."));
        let expected = [Go::To(Goto::Time(20_000_000)), Go::Cpu(3), Go::Tab(Tab::Placement)];
        assert_eq!(steps[0].moves, expected);
        let stride = Stride::Kind(DecisionKind::Placement);
        let seek = Go::Seek { forward: true, stride, of: Some("server".into()) };
        assert_eq!(steps[1].moves, [seek]);
        let question = steps[1].question.as_ref().unwrap();
        assert!(question.right("CPU 3") && question.right("3") && !question.right("20"));
        assert_eq!(question.reply("20"), "No, it is 3. Too far. It is alone.");
    }

    #[test]
    fn every_lesson_of_ours_can_be_shown() {
        for lab in crate::labs::LABS {
            for step in steps(lab.text) {
                assert!(!step.title.is_empty() && !step.prose.is_empty(), "{}", lab.id);
                if let Some(question) = &step.question {
                    assert!(question.right(&question.answer), "{}", step.title);
                    assert!(!question.because.is_empty(), "{}", step.title);
                }
            }
        }
        assert!(!steps(crate::labs::find("lwn-eevdf").unwrap().text).is_empty());
    }

    #[test]
    fn a_scenario_has_no_steps() {
        assert_eq!(steps("# Title\n\n## Notes\n"), []);
    }
}
