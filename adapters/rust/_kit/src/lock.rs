/// The text of an adapter's Cargo.lock, which knows what it was built with.
#[derive(Clone, Copy)]
pub struct Lock(pub &'static str);

impl Lock {
    /// The version of a package.
    pub fn version(self, package: &str) -> String {
        let name = format!("name = \"{package}\"\nversion = \"");
        let after = self.0.split_once(&name).map_or("unknown", |(_, after)| after);
        after.split('"').next().unwrap_or_default().to_owned()
    }

    /// Packages with their versions, for [`crate::Description::engine`].
    pub fn packages(self, names: &[&str]) -> String {
        let named = names.iter().map(|name| format!("{name} {}", self.version(name)));
        named.collect::<Vec<_>>().join(" ")
    }
}
