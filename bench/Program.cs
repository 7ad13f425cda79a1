using BenchmarkDotNet.Running;
using Tracer.Bench;

BenchmarkSwitcher.FromAssembly(typeof(EventHeaderWalk).Assembly).Run(args);
