# Sourced by test.sh and bench/tests.sh: how builds and tests run.
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
# The packages of the lock files and no others.
export RestoreLockedMode=true
# What would hinder trimming is looked for by every other build: it takes a quarter of one.
export EnableTrimAnalyzer=false EnableAotAnalyzer=false EnableSingleFileAnalyzer=false
# As the commands are: for programs of seconds, what is measured to be compiled better costs more than it gives, and so does a thread for
# the collector (a sixth of the CPU time of tests that read traces).
export DOTNET_TieredPGO=0 DOTNET_gcConcurrent=0
# Tests make and drop large blocks: those of less than 4 MB are not collected with all that lives, and a collection comes after 64 MB.
# That is a sixth of the CPU time of the analysis' tests, for 60 MB more of memory in each program. Both numbers are hexadecimal.
export DOTNET_GCgen0size=4000000 DOTNET_GCLOHThreshold=400000
# Compiled code is mapped once, writable: mapping it twice is half of the time in the kernel of a program's start, a seventh of all.
export DOTNET_EnableWriteXorExecute=0
# A test program calls most methods a few times: compiled for good is what was called 2048 times (hexadecimal here), not 30. That is up to a
# seventh of the CPU time of a program (Tracer.Capture.Tests: 57 and 57 s before, 48 and 49 s with it).
export DOTNET_TC_CallCountThreshold=800
