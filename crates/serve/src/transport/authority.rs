//! A certificate authority for one run, and the certificate of the servers on this machine.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The names and addresses by which clients reach servers on this machine; the last over links that
/// have names.
const NAMES: [&str; 4] = ["localhost", "127.0.0.1", "::1", "origin.test"];

const FOR_ALL: u32 = 0o644;
const FOR_THE_OWNER: u32 = 0o600;

/// The authority's certificate, and a server certificate that it has signed. The authority's own
/// key is dropped at once.
#[derive(Debug)]
pub struct Authority {
    pem: String,
    leaf: Certificate,
    key: KeyPair,
}

impl Authority {
    /// Makes an authority whose servers can also be reached at `address`.
    pub fn new(address: IpAddr) -> Result<Self, rcgen::Error> {
        let mut authority = CertificateParams::default();
        authority.distinguished_name = named("Fetchoff origin, an authority for this run only");
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let authority_key = KeyPair::generate()?;
        let pem = authority.self_signed(&authority_key)?.pem();

        let mut leaf = CertificateParams::new(names(address))?;
        leaf.distinguished_name = named("Fetchoff origin");
        leaf.is_ca = IsCa::ExplicitNoCa;
        leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        // RFC 5280, section 4.2.1.1; strict clients insist on it.
        leaf.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let leaf = leaf.signed_by(&key, &Issuer::new(authority, authority_key))?;
        Ok(Self { pem, leaf, key })
    }

    /// The authority's certificate, which clients have to trust, in PEM.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// The server certificate.
    pub(crate) fn certificate(&self) -> CertificateDer<'static> {
        self.leaf.der().clone()
    }

    /// The key of the server certificate.
    pub(crate) fn key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::Pkcs8(self.key.serialize_der().into())
    }

    /// Writes `authority.pem`, `certificate.pem` (the server certificate, followed by the
    /// authority's) and `key.pem`, which only the owner can read. An error names the file that
    /// cannot be written.
    pub fn write_to(&self, folder: &Path) -> Result<(), (PathBuf, io::Error)> {
        let chain = self.leaf.pem() + &self.pem;
        for (name, text, mode) in [
            ("authority.pem", self.pem.as_str(), FOR_ALL),
            ("certificate.pem", &chain, FOR_ALL),
            ("key.pem", &self.key.serialize_pem(), FOR_THE_OWNER),
        ] {
            let path = folder.join(name);
            write(&path, text, mode).map_err(|error| (path, error))?;
        }
        Ok(())
    }
}

fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(path)?;
    // A file that existed before has kept its mode.
    file.set_permissions(Permissions::from_mode(mode))?;
    file.write_all(text.as_bytes())
}

fn names(address: IpAddr) -> Vec<String> {
    let mut names: Vec<_> = NAMES.map(String::from).into();
    let address = address.to_string();
    if !names.contains(&address) {
        names.push(address);
    }
    names
}

fn named(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}
