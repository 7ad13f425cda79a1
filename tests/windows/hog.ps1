#requires -Version 7
<#
    Makes threads of the last CPU late: ten milliseconds of work at priority 26 (real-time class, highest level), once a second. Above the
    probe's 24, and below everything that the system needs.
#>
[CmdletBinding()]
param([Parameter(Mandatory)] [int] $Seconds)

Set-StrictMode -Version 3
$ErrorActionPreference = 'Stop'
$process = [Diagnostics.Process]::GetCurrentProcess()
$last = [Math]::Min([Environment]::ProcessorCount, 64) - 1
$process.ProcessorAffinity = [IntPtr]([long]1 -shl $last)
$process.PriorityClass = 'RealTime'
[Threading.Thread]::CurrentThread.Priority = 'Highest'
$until = (Get-Date).AddSeconds($Seconds)
$watch = [Diagnostics.Stopwatch]::new()
while ((Get-Date) -lt $until) {
    Start-Sleep -Milliseconds 1000
    $watch.Restart()
    while ($watch.Elapsed.TotalMilliseconds -lt 10) { }
}
