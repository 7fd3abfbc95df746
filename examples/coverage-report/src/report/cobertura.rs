//! Cobertura XML.

use std::collections::BTreeMap;

use anyhow::Result;
use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::writer::Writer;

use super::{Line, Method, Rate, files, shown};

/// Cobertura XML, which build servers read.
///
/// # Errors
/// The XML cannot be written.
pub fn cobertura(methods: &[Method], timestamp: u64) -> Result<String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
    let rates = |lines: &mut dyn Iterator<Item = &Line>| {
        let (whole, branches) = Rate::of(lines);
        [("line-rate", format!("{:.4}", whole.rate())), ("branch-rate", format!("{:.4}", branches.rate()))]
    };
    fn attributes<'l>(list: &'l [(&'static str, String)]) -> impl Iterator<Item = (&'l str, &'l str)> {
        list.iter().map(|(name, value)| (*name, value.as_str()))
    }
    type Lines<'x> = &'x mut Writer<Vec<u8>>;
    let lines = |xml: Lines<'_>, lines: &BTreeMap<u32, Line>| {
        xml.create_element("lines").write_inner_content(|xml| {
            for (number, line) in lines {
                let (number, hits) = (number.to_string(), line.hits.to_string());
                let element =
                    xml.create_element("line").with_attributes([("number", &*number), ("hits", &*hits)]);
                if line.branches.is_empty() {
                    element.with_attribute(("branch", "false")).write_empty()?;
                    continue;
                }
                let (_, rate) = Rate::of([line]);
                let covered = format!("{:.0}% ({}/{})", rate.rate() * 100.0, rate.run, rate.all);
                element
                    .with_attributes([("branch", "true"), ("condition-coverage", &*covered)])
                    .write_empty()?;
            }
            Ok(())
        })?;
        std::io::Result::Ok(())
    };
    let all = files(methods);
    let (whole, branches) = Rate::of(all.values().flat_map(BTreeMap::values));
    let mut head = rates(&mut all.values().flat_map(BTreeMap::values)).to_vec();
    head.extend([
        ("lines-covered", whole.run.to_string()),
        ("lines-valid", whole.all.to_string()),
        ("branches-covered", branches.run.to_string()),
        ("branches-valid", branches.all.to_string()),
        ("complexity", "0".to_owned()),
        ("version", "1".to_owned()),
        ("timestamp", timestamp.to_string()),
    ]);
    let mut packages: BTreeMap<&str, BTreeMap<(&str, &str), Vec<&Method>>> = BTreeMap::new();
    for method in methods {
        packages
            .entry(&method.module)
            .or_default()
            .entry((&method.class, &method.file))
            .or_default()
            .push(method);
    }
    xml.create_element("coverage").with_attributes(attributes(&head)).write_inner_content(|xml| {
        xml.create_element("sources").write_inner_content(|xml| {
            xml.create_element("source").write_text_content(BytesText::new("/")).map(drop)
        })?;
        xml.create_element("packages").write_inner_content(|xml| {
            for (module, classes) in &packages {
                let rate = rates(&mut classes.values().flatten().flat_map(|method| method.lines.values()));
                let package = xml
                    .create_element("package")
                    .with_attributes([("name", &*shown(module)), ("complexity", "0")]);
                package.with_attributes(attributes(&rate)).write_inner_content(|xml| {
                    xml.create_element("classes").write_inner_content(|xml| {
                        for ((class, file), methods) in classes {
                            let own: Vec<Method> = methods.iter().map(|method| (*method).clone()).collect();
                            let own = files(&own).into_values().next().unwrap_or_default();
                            let rate = rates(&mut own.values());
                            let element = xml.create_element("class").with_attributes([
                                ("name", &*shown(class)),
                                ("filename", &*shown(file.trim_start_matches('/'))),
                                ("complexity", "0"),
                            ]);
                            element.with_attributes(attributes(&rate)).write_inner_content(|xml| {
                                xml.create_element("methods").write_inner_content(|xml| {
                                    for method in methods {
                                        let rate = rates(&mut method.lines.values());
                                        let element = xml.create_element("method").with_attributes([
                                            ("name", &*shown(&method.name)),
                                            ("signature", "()"),
                                            ("complexity", "0"),
                                        ]);
                                        let element = element.with_attributes(attributes(&rate));
                                        element.write_inner_content(|xml| lines(xml, &method.lines))?;
                                    }
                                    Ok(())
                                })?;
                                lines(xml, &own)
                            })?;
                        }
                        Ok(())
                    })?;
                    Ok(())
                })?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(String::from_utf8(xml.into_inner())?)
}
