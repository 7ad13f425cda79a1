#requires -Version 7
<#
    Tries on a real Windows what is believed of it, and leaves all that was seen in a folder: for the workflow windows.yml, and for anybody
    with a Windows at hand and a prompt that runs as administrator. Built programs are expected in artifacts/bin. Whether the run may pass
    is judged by 'compare check', not here: a command that fails is written down, and the next one is tried.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [string] $Folder,
    [switch] $Portable
)

Set-StrictMode -Version 3
$ErrorActionPreference = 'Stop'
$root = (Resolve-Path (Join-Path $PSScriptRoot '../..')).Path
Set-Location $root
New-Item -ItemType Directory -Force -Path $Folder, (Join-Path $Folder 'tests') | Out-Null
$out = (Resolve-Path $Folder).Path
$tracer = Join-Path $root 'artifacts/bin/tracer/release/tracer.exe'
$analyzer = Join-Path $root 'artifacts/bin/analyzer/release/analyzer.exe'

# Writes a line about a command that ended; a status of null says that what it needs is not on this machine.
function Add-Command {
    param([string] $Name, [Nullable[int]] $Status, [double] $Seconds, [string] $Line)
    $entry = [ordered]@{ name = $Name; status = $Status; seconds = [Math]::Round($Seconds, 1); command = $Line }
    Add-Content -Path (Join-Path $out 'commands.jsonl') -Value ($entry | ConvertTo-Json -Compress) -Encoding utf8NoBOM
}

# Runs a program; what it prints goes to a file, byte by byte, and its status into commands.jsonl.
function Invoke-Step {
    param([string] $Name, [string] $Program, [string[]] $Arguments, [string] $Output = "$Name.out", [int] $Minutes = 10)
    $started = Get-Date
    $options = @{
        FilePath               = $Program
        ArgumentList           = $Arguments | ForEach-Object { '"{0}"' -f $_ }
        RedirectStandardOutput = Join-Path $out $Output
        RedirectStandardError  = Join-Path $out "$Name.err"
        NoNewWindow            = $true
        PassThru               = $true
    }
    $process = Start-Process @options
    $null = $process.Handle # Without it the status is not kept.
    if (-not $process.WaitForExit($Minutes * 60000)) {
        $process.Kill($true)
        $process.WaitForExit()
    }

    $status = $process.ExitCode
    Add-Command -Name $Name -Status $status -Seconds ((Get-Date) - $started).TotalSeconds -Line "$Program $Arguments"
    Write-Output "$Name ended with $status"
}

# Every test program that needs no other system; how many of each must pass says compare.
foreach ($suite in 'Analysis', 'Capture', 'Commands', 'Contract', 'Etl', 'Simulator', 'Symbols') {
    $program = "Tracer.$suite.Tests"
    $library = Join-Path $root "artifacts/bin/$program/release/$program.dll"
    Invoke-Step -Name "tests-$suite" -Program 'dotnet' -Minutes 30 -Arguments @(
        $library, '-noLogo', '-noColor', '-xml', (Join-Path $out "tests/$program.xml"))
}

# The same bytes as on the system on which the stored report was made.
Invoke-Step -Name 'blame-sample' -Program $analyzer -Arguments @('blame', 'samples/first.etl', '--format', 'json') -Output 'sample.json'
Invoke-Step -Name 'same-blame' -Program 'git' -Arguments @(
    'diff', '--no-index', '--exit-code', 'tests/windows/first.blame.json', (Join-Path $out 'sample.json'))
if ($Portable) {
    return
}

Invoke-Step -Name 'doctor' -Program $tracer -Arguments @('doctor', '--format', 'json') -Output 'doctor.jsonl'
Invoke-Step -Name 'self-test' -Program $tracer -Arguments @('doctor', '--self-test', '--bundle', (Join-Path $out 'proof.zip'))

# The same seconds by tracer and by wpr, while all CPUs are busy and one process, pwsh.exe, makes others late.
Invoke-Step -Name 'wpr-start' -Program 'wpr' -Arguments @('-start', 'samples/latency.wprp!Latency', '-filemode')
Set-Content -Path (Join-Path $out 'culprit.txt') -Value 'pwsh.exe' -Encoding utf8NoBOM
$helpers = @(
    Start-Process -PassThru -NoNewWindow -FilePath 'pwsh' -ArgumentList '-NoProfile', '-File', 'tests/windows/load.ps1', '-Seconds', '40'
    Start-Process -PassThru -NoNewWindow -FilePath 'pwsh' -ArgumentList '-NoProfile', '-File', 'tests/windows/hog.ps1', '-Seconds', '40'
)
Invoke-Step -Name 'capture' -Program $tracer -Output 'capture.jsonl' -Arguments @(
    'capture', '--threshold', '5ms', '--duration', '20s', '--keep-worst', '1', '--pre', '1s', '--probe-priority', '24',
    '--trigger', 'wakeup', '--format', 'json', '-o', (Join-Path $out 'capture.etl'))
Invoke-Step -Name 'wpr-stop' -Program 'wpr' -Arguments @('-stop', (Join-Path $out 'wpr.etl')) -Minutes 15
foreach ($helper in $helpers) {
    $helper.WaitForExit()
}

# With several episodes each file has its number; one is kept.
$captured = Get-ChildItem -Path $out -Filter 'capture*.etl' | Select-Object -First 1
if ($null -ne $captured) {
    Invoke-Step -Name 'capture-blame' -Program $analyzer -Output 'capture-blame.json' -Arguments @(
        'blame', $captured.FullName, '--threshold', '5ms', '--format', 'json')
}

$recorded = Join-Path $out 'wpr.etl'
Invoke-Step -Name 'wpr-info' -Program $analyzer -Arguments @('info', $recorded, '--format', 'json') -Output 'wpr-info.json'
Invoke-Step -Name 'wpr-blame' -Program $analyzer -Output 'wpr-blame.json' -Arguments @(
    'blame', $recorded, '--threshold', '5ms', '--format', 'json')
Invoke-Step -Name 'analyzer-dpcisr' -Program $analyzer -Arguments @('blame', $recorded, '--style', 'xperf') -Output 'analyzer-dpcisr.txt'
$xperf = Join-Path ${env:ProgramFiles(x86)} 'Windows Kits/10/Windows Performance Toolkit/xperf.exe'
if (Test-Path $xperf) {
    Invoke-Step -Name 'xperf-dpcisr' -Program $xperf -Arguments @(
        '-i', $recorded, '-o', (Join-Path $out 'xperf-dpcisr.txt'), '-a', 'dpcisr')
}
else {
    Add-Command -Name 'xperf-dpcisr' -Status $null -Seconds 0 -Line $xperf
}
