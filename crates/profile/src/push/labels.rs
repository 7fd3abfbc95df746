//! The labels of pushed profiles.

use std::collections::BTreeMap;
use std::fs;

/// The length of a container's id.
const CONTAINER: usize = 64;

/// Labels that describe the program to a server: `service`, `version`, `host`, `container`, `pid`, and labels of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Labels(BTreeMap<String, String>);

/// Returns the pairs of a text like `service=shop,version=1.2`; `None` if it is no such text.
pub(super) fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = pair.split_once('=')?;
        let (key, value) = (key.trim(), value.trim());
        (!key.is_empty()).then(|| (key.to_owned(), value.to_owned()))
    });
    pairs.collect()
}

impl Labels {
    /// Returns the labels of a program, which runs here, with those of the user, which take precedence.
    pub(super) fn of_program(program: &str, process: u32, given: Vec<(String, String)>) -> Self {
        let mut labels = BTreeMap::from([
            ("service".to_owned(), program.to_owned()),
            ("pid".to_owned(), process.to_string()),
        ]);
        labels.extend(host().map(|host| ("host".to_owned(), host)));
        let groups = fs::read_to_string(format!("/proc/{process}/cgroup")).unwrap_or_default();
        let mounts = fs::read_to_string(format!("/proc/{process}/mountinfo")).unwrap_or_default();
        let container = container(&groups).or_else(|| container(&mounts));
        labels.extend(container.map(|container| ("container".to_owned(), container)));
        labels.extend(given);
        Self(labels)
    }

    /// Returns the attributes of OpenTelemetry's semantic conventions.
    pub(super) fn attributes(&self) -> Vec<(String, String)> {
        let name = |key: &String| match key.as_str() {
            "service" => "service.name".to_owned(),
            "version" => "service.version".to_owned(),
            "host" => "host.name".to_owned(),
            "container" => "container.id".to_owned(),
            "pid" => "process.pid".to_owned(),
            other => other.to_owned(),
        };
        self.0.iter().map(|(key, value)| (name(key), value.clone())).collect()
    }

    /// Returns the name of an application in Pyroscope: `shop{host=one,version=1.2}`.
    pub(super) fn application(&self) -> String {
        let value = |text: &str| text.replace(['{', '}', ',', '=', '"'], "_");
        let key = |text: &str| text.replace(|char: char| !char.is_ascii_alphanumeric(), "_");
        let labels = self.0.iter().filter(|(key, _)| *key != "service");
        let labels: Vec<String> =
            labels.map(|(name, text)| format!("{}={}", key(name), value(text))).collect();
        let service = self.0.get("service").map_or("program", String::as_str);
        format!("{}{{{}}}", value(service), labels.join(","))
    }
}

/// Returns the name of the machine, or of the container.
fn host() -> Option<String> {
    let of_system = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let names = of_system.into_iter().chain(std::env::var("HOSTNAME")).chain(std::env::var("COMPUTERNAME"));
    names.map(|name| name.trim().to_owned()).find(|name| !name.is_empty())
}

/// Returns the id of a container in the text of `/proc/PID/cgroup` or `/proc/PID/mountinfo`.
fn container(text: &str) -> Option<String> {
    let words = text.split(|char: char| !char.is_ascii_hexdigit());
    words.filter(|word| word.len() == CONTAINER).map(str::to_owned).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_pairs() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            pairs("service=shop, version = 1=2,"),
            Some(vec![pair("service", "shop"), pair("version", "1=2")])
        );
        assert_eq!(pairs(""), Some(Vec::new()));
        assert_eq!(pairs("shop"), None);
        assert_eq!(pairs("=shop"), None);
    }

    #[test]
    fn labels_have_the_names_of_each_protocol() {
        let given = pairs("service=sh{op,version=1.2,host=one,pid=7,container=c,my-label=a,b=c").unwrap();
        let labels = Labels::of_program("shop", 4711, given);
        assert_eq!(labels.application(), "sh_op{b=c,container=c,host=one,my_label=a,pid=7,version=1.2}");
        let attributes = labels.attributes();
        let names: Vec<&str> = attributes.iter().map(|(key, _)| key.as_str()).collect();
        let expected =
            ["b", "container.id", "host.name", "my-label", "process.pid", "service.name", "service.version"];
        assert_eq!(names, expected);
    }

    #[test]
    fn the_container_is_that_of_the_control_group() {
        let id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
        assert_eq!(container(&format!("0::/system.slice/docker-{id}.scope\n")), Some(id.to_owned()));
        let mount =
            format!("1 2 0:3 /var/lib/docker/containers/{id}/hostname /etc/hostname rw - ext4 /dev/a rw");
        assert_eq!(container(&mount), Some(id.to_owned()));
        assert_eq!(container("0::/user.slice\n"), None);
    }
}
