<?php

declare(strict_types=1);

namespace Fetchoff;

/** The version of a library that does not tell it: as Composer knows it, or else Debian's package manager. */
function installed_version(string $composerName, string $debianName): string
{
    if (class_exists(\Composer\InstalledVersions::class)) {
        return ltrim(\Composer\InstalledVersions::getPrettyVersion($composerName) ?? '', 'v');
    }
    $version = (string) shell_exec('dpkg-query --show --showformat=\'${Version}\' ' . escapeshellarg($debianName));
    return preg_replace('/^\d+:|[+~-].*$/', '', $version);
}
