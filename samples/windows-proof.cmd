@echo off
rem Ten minutes for a stranger: tries on this Windows what is believed of it, and leaves windows-proof.zip beside this file. In it are
rem proof.json and the trace of one delay, with names and paths replaced. "windows-proof names" keeps the names instead.
rem What each line means: docs\use\windows-proof.md. Needs a prompt that runs as administrator, and Windows 10 1803 or later (tar.exe).
setlocal
set "here=%~dp0"
set "tools=%here%"
if not exist "%tools%tracer.exe" set "tools=%here%..\"
set "work=%TEMP%\tracer-windows-proof-%RANDOM%"
set "result=%here%windows-proof.zip"
rem Windows' own: another tar in the path may take C: for a computer's name, and write no zip.
set "tar=%SystemRoot%\System32\tar.exe"
if not exist "%tools%tracer.exe" (
	echo windows-proof: tracer.exe is neither beside this file nor one folder up: unpack the whole zip 1>&2
	exit /b 1
)
rem The first needs the service "Server", which some have switched off; the second is not everywhere.
net session >nul 2>&1
if errorlevel 1 fltmc >nul 2>&1
if errorlevel 1 (
	echo windows-proof: this needs an administrator: right-click "Command Prompt", "Run as administrator", and start it there 1>&2
	exit /b 1
)
mkdir "%work%"
if not exist "%work%\" (
	echo windows-proof: no folder "%work%" can be made 1>&2
	exit /b 1
)
echo The self-test takes a minute; it undoes all that it changes.
set driver=
if exist "%tools%TracerLatency.sys" set driver=--driver "%tools%TracerLatency.sys"
"%tools%tracer.exe" doctor --self-test %driver% --bundle "%work%\raw.zip"
set status=%errorlevel%
if not exist "%work%\raw.zip" (
	echo windows-proof: the self-test left no bundle; what it said above is the result 1>&2
	rmdir /s /q "%work%"
	exit /b 1
)
if /i "%1"=="names" (
	move /y "%work%\raw.zip" "%result%" >nul || goto failed
	goto done
)
"%tar%" -xf "%work%\raw.zip" -C "%work%" || goto failed
set parts=proof.json
if exist "%work%\proof.etl" (
	rem From within the folder: what it says names no path, which would name whoever runs this.
	pushd "%work%"
	"%tools%analyzer.exe" pack proof.etl -o pack.zip >pack.txt 2>&1
	popd
)
rem Without a pack nothing with names goes out: what it said stands in for it.
if exist "%work%\pack.txt" set parts=%parts% pack.txt
if exist "%work%\pack.zip" set parts=proof.json pack.zip
"%tar%" -a -cf "%result%" -C "%work%" %parts% || goto failed
:done
rmdir /s /q "%work%"
echo.
echo "%result%"
echo Look into it, then attach it to an issue. Exit status of the self-test: %status%
exit /b %status%
:failed
echo windows-proof: "%result%" could not be written; what the self-test left is in "%work%" 1>&2
exit /b 1
