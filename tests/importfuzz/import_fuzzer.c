/*
 * libFuzzer on `tracer import`: starts .NET in this process and hands every input to ImportEntry.Import. The rewritten assemblies count
 * their edges in the section that libFuzzer reads besides its own coverage, so it sees the managed code as it sees C.
 *
 * HOSTFXR is the path of libhostfxr.so, COUNTERS the number that the rewriting program printed.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LOAD_ASSEMBLY_AND_GET_FUNCTION 5 /* enum hostfxr_delegate_type in hostfxr.h of the runtime */
#define UNMANAGED_CALLERS_ONLY ((const char *)-1)

typedef int initialize_function(const char *runtime_config, const void *parameters, void **host);
typedef int delegate_function(void *host, int type, void **function);
typedef int load_function(
	const char *assembly, const char *type, const char *method, const char *signature, void *reserved, void **function);
typedef int start_function(uint8_t *counters);
typedef int import_function(const uint8_t *bytes, intptr_t count);

__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

static import_function *import;

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "import_fuzzer: %s failed\n", what);
	exit(1);
}

/* The assemblies lie beside this program. */
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
	static const char type[] = "Tracer.ImportFuzz.ImportEntry, Tracer.ImportFuzz";
	static char program[PATH_MAX], config[PATH_MAX + 64], assembly[PATH_MAX + 64];
	void *library = dlopen(HOSTFXR, RTLD_NOW | RTLD_GLOBAL);
	void *host = NULL, *load = NULL, *start = NULL, *entry = NULL;
	initialize_function *initialize;
	delegate_function *get_delegate;
	char *slash;

	(void)count;
	must(realpath((*arguments)[0], program) != NULL, "finding this program");
	for (slash = program; *slash != 0; slash++)
		;
	while (slash > program && *slash != '/')
		slash--;
	*slash = 0;
	snprintf(config, sizeof(config), "%s/Tracer.ImportFuzz.runtimeconfig.json", program);
	snprintf(assembly, sizeof(assembly), "%s/Tracer.ImportFuzz.dll", program);
	must(library != NULL, "loading " HOSTFXR);
	initialize = (initialize_function *)dlsym(library, "hostfxr_initialize_for_runtime_config");
	get_delegate = (delegate_function *)dlsym(library, "hostfxr_get_runtime_delegate");
	must(initialize != NULL && get_delegate != NULL, "finding the host's functions");
	must(initialize(config, NULL, &host) >= 0 && host != NULL, "starting .NET");
	must(get_delegate(host, LOAD_ASSEMBLY_AND_GET_FUNCTION, &load) == 0, "asking the host");
	must(((load_function *)load)(assembly, type, "Start", UNMANAGED_CALLERS_ONLY, NULL, &start) == 0, "finding Start");
	must(((load_function *)load)(assembly, type, "Import", UNMANAGED_CALLERS_ONLY, NULL, &entry) == 0, "finding Import");
	must(((start_function *)start)(counters) == 0, "setting the counters");
	import = (import_function *)entry;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	if (import(bytes, (intptr_t)count) != 0)
		abort();
	return 0;
}
