<?php

// The curl extension: one handle for all exchanges.

declare(strict_types=1);

function cpu_ns(): int
{
    $usage = getrusage();
    $seconds = $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'];
    return 1_000_000_000 * $seconds + 1000 * ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']);
}

$url = $argv[1];
$size = (int) $argv[2];
$fields = [];
for ($i = 3; $i < $argc; $i += 2) {
    $fields[$argv[$i]] = $argv[$i + 1];
}
$curl = curl_init();
curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
curl_setopt($curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
curl_setopt($curl, CURLOPT_PROXY, '');

while (($line = fgets(STDIN)) !== false) {
    $n = (int) $line;
    $cpu = cpu_ns();
    $wall = hrtime(true);
    for ($i = 0; $i < $n; $i++) {
        curl_setopt($curl, CURLOPT_URL, $url);
        if ($fields) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, http_build_query($fields));
        }
        $content = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($status !== 200 || strlen($content) !== $size) {
            fwrite(STDERR, "status $status: " . curl_error($curl) . "\n");
            exit(1);
        }
    }
    $cpu = cpu_ns() - $cpu;
    $wall = hrtime(true) - $wall;
    fwrite(STDOUT, "$cpu $wall\n");
}
