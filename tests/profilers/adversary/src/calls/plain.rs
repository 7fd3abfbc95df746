//! Functions that do not call the runtime.

use corprof::{Error, EventMask, Hooks, ImportFrom};

use super::Calls;
use crate::Adversary;
use crate::at::value;

pub(super) const CALLS: Calls = &[
    ("Error::other", |it| value(Error::other(it.text()).to_string())),
    ("Error::setting", |it| {
        let wrong = Error::Setting { name: it.text().to_owned(), message: it.text().to_owned() };
        value((wrong.to_string(), wrong.setting().map(str::len), Error::other(it.text()).setting().is_none()))
    }),
    ("Error::hresult", |it| value(Error::other(it.text()).hresult())),
    ("EventMask::undelivered_callbacks", |it| {
        let mask = EventMask::from_bits_retain(it.random.next());
        value(mask.undelivered_callbacks().collect::<Vec<_>>())
    }),
    ("EventMask::immutable_on", |it| value(EventMask::immutable_on(it.u32().to_le_bytes()[0].into()))),
    ("EventMask::allowable_after_attach_on", |it| {
        value(EventMask::allowable_after_attach_on(it.u32().to_le_bytes()[0].into()))
    }),
    ("EventMask::low", |it| value(EventMask::from_bits_retain(it.random.next()).low())),
    ("EventMask::high", |it| value(EventMask::from_bits_retain(it.random.next()).high())),
    ("EventMask::from_halves", |it| value(EventMask::from_halves(it.u32(), it.u32()))),
    ("Hooks::none", |_| value(Hooks::<Adversary>::none())),
    ("Hooks::with_info", |_| value(Hooks::<Adversary>::with_info())),
    ("Hooks::fast", |_| value(Hooks::<Adversary>::fast())),
    ("ImportFrom::assembly", |it| {
        let opened = it.shared.known.opened.pick(&it.random)?;
        value(ImportFrom::assembly(&opened))
    }),
];
