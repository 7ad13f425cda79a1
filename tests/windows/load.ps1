#requires -Version 7
<#
    Keeps every CPU, the disk and the network of the machine itself busy for some seconds, at ordinary priority.
#>
[CmdletBinding()]
param([Parameter(Mandatory)] [int] $Seconds)

Set-StrictMode -Version 3
$ErrorActionPreference = 'Stop'
$until = (Get-Date).AddSeconds($Seconds)
1..[Environment]::ProcessorCount | ForEach-Object -ThrottleLimit ([Environment]::ProcessorCount) -Parallel {
    $file = [IO.Path]::GetTempFileName()
    $bytes = [byte[]]::new(4MB)
    $hash = [Security.Cryptography.SHA512]::Create()
    $client = [Net.Sockets.UdpClient]::new()
    try {
        while ((Get-Date) -lt $using:until) {
            [IO.File]::WriteAllBytes($file, $bytes)
            $null = $hash.ComputeHash([IO.File]::ReadAllBytes($file))
            foreach ($packet in 1..200) {
                $null = $client.Send($bytes, 1000, '127.0.0.1', 9)
            }
        }
    }
    finally {
        $client.Dispose()
        $hash.Dispose()
        Remove-Item $file
    }
}
