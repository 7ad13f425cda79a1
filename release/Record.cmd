@echo off
rem Double-click: records until something is late by a millisecond or more, and opens the report. Recordings go to Documents\Tracer.
rem Options of "tracer capture" may follow, such as --threshold 500us.
setlocal
set "here=%~dp0"
if not exist "%here%tracer.exe" (
	echo Record: tracer.exe is not beside this file: unpack the whole zip 1>&2
	pause
	exit /b 1
)
set "folder=%USERPROFILE%\Documents\Tracer"
if not exist "%folder%" mkdir "%folder%" || exit /b 1
set "options=--threshold 1ms --open %*"
rem In a window of its own, with the rights of an administrator: Windows asks. It waits there until what it printed has been read.
powershell -NoProfile -Command "Start-Process -FilePath ($env:here + 'tracer.exe') -ArgumentList ('capture ' + $env:options) -WorkingDirectory $env:folder -Verb RunAs"
if errorlevel 1 (
	echo Record: it was not started. Right-click tracer.exe, "Run as administrator", and choose 1. 1>&2
	pause
	exit /b 1
)
